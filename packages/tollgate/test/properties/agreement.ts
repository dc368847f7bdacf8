import fc from "fast-check";
import {
  calendarStart,
  calendarWindowSpec,
  denseFixedWindowSpec,
  denseSlidingWindowSpec,
  fixedWindowSpec,
  largeSlidingWindowSpec,
  limitSpec,
  plainTokenBucketSpec,
  slidingWindowSpec,
  tokenBucketSpec,
} from "./limit-arbitrary.ts";
import { type NamedProperty, namedProperty } from "./named-property.ts";
import { type RunOptions, runScenario } from "./run-scenario.ts";
import { ALL_VERBS, type ScenarioOptions, scenario } from "./scenario-arbitrary.ts";
import { hasRoom, isExact } from "./tick-room.ts";

/** Every field of every decision is that of the model, and so is the number of keys kept. */
function agrees(name: string, weight: number, generate: ScenarioOptions, run: RunOptions = {}): NamedProperty {
  return namedProperty(name, weight, scenario(generate), (one) => runScenario(one, run));
}

const WITHOUT_CHARGES = ALL_VERBS.filter((verb) => verb !== "charge");
const anySlidingWindowSpec = fc.oneof(denseSlidingWindowSpec, slidingWindowSpec);
const anyFixedWindowSpec = fc.oneof(denseFixedWindowSpec, fixedWindowSpec);

export const ONE_LIMITER: readonly NamedProperty[] = [
  agrees("token buckets decide as the model does", 4, {
    limits: tokenBucketSpec,
    mostLimits: 2,
    mostLimiters: 1,
    mostSteps: 40,
  }),
  agrees("plain token buckets at round times decide as the model does", 2, {
    limits: plainTokenBucketSpec.filter((spec) => !isExact(spec)),
    mostLimits: 1,
    mostLimiters: 1,
    mostSteps: 30,
    clock: "round",
    costs: "whole",
  }),
  agrees("sliding windows decide as the model does", 4, {
    limits: anySlidingWindowSpec,
    mostLimits: 2,
    mostLimiters: 1,
    mostSteps: 60,
  }),
  agrees("sliding windows whose ring is full decide as the model does", 2, {
    limits: denseSlidingWindowSpec,
    mostLimits: 1,
    mostLimiters: 1,
    clock: "crowded",
    costs: "modest",
    verbs: ["charge", "charge", "charge", "consume", "refund", "explain"],
  }),
  agrees("sliding windows of large limits decide as the model does", 1, {
    limits: largeSlidingWindowSpec,
    mostLimits: 1,
    mostLimiters: 1,
    clock: "forward",
    costs: "modest",
    verbs: WITHOUT_CHARGES,
  }),
  agrees("fixed windows decide as the model does", 3, {
    limits: anyFixedWindowSpec,
    mostLimits: 2,
    mostLimiters: 1,
    mostSteps: 40,
  }),
  agrees("windows by the calendar decide as the model does", 2, {
    limits: calendarWindowSpec,
    mostLimits: 2,
    mostLimiters: 1,
    startUs: calendarStart,
  }),
  agrees("windows by the calendar decide as the model does over every store of this process", 1, {
    limits: fc.oneof(calendarWindowSpec, fixedWindowSpec),
    clock: "forward",
    mostSteps: 30,
    startUs: calendarStart,
  }),
  agrees("limits of all kinds decide together as the model does", 4, { mostLimiters: 1 }),
];

export const SEVERAL_LIMITERS: readonly NamedProperty[] = [
  agrees("limiters over every store of this process decide as the model does while the clock goes forward", 3, {
    clock: "forward",
  }),
  agrees("limiters of one key over tables and shared stores decide as the model does", 2, {
    mostKeys: 1,
    stores: ["table", "shared"],
    verbs: ALL_VERBS.filter((verb) => verb !== "sweep"),
  }),
  // Without `undo` a denied combination refunds, which restores buckets, but not when a group of a window began.
  agrees("token buckets over a store without undo, batches and key references decide as the model does", 1, {
    limits: tokenBucketSpec,
    clock: "forward",
    stores: ["plain"],
  }),
  agrees("limiters decide as the model does, alone and combined", 6, { mostLimits: 2 }),
  agrees("limits chosen per call decide as the model does", 3, {}, { chosenPerCall: true }),
  agrees("keys that are tuples decide as the model does", 2, { mostLimits: 2 }, { tuples: true }),
];

export const LONG_LIVES: readonly NamedProperty[] = [
  agrees(
    "limits of all kinds decide as the model does while the store sweeps",
    1,
    { limits: fc.oneof(limitSpec, denseSlidingWindowSpec), clock: "forward", mostSteps: 300, verbs: ALL_VERBS },
    { throughSweeps: true },
  ),
  agrees(
    "a clock that jumps by decades changes no decision",
    3,
    {
      limits: limitSpec.filter((spec) => hasRoom(spec, 75n, 2n)),
      clock: "wandering",
      verbs: WITHOUT_CHARGES,
    },
    { wandering: true },
  ),
];
