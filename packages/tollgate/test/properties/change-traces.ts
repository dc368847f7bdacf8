import fc from "fast-check";
import { createLimiter, type Decision, type Handle, type Limiter, memoryStore, type SyncStore } from "tollgate";
import { tableStore } from "tollgate/table";
import { type ManualClock, manualClock } from "tollgate/testing";
import { ChangingKeys, createVersion, type NamedLimit, type Version } from "../reference/changing-model.ts";
import { explain, transact } from "../reference/model.ts";
import type { Outcome } from "../reference/outcome.ts";
import { type Step, type Trace, trace, type VersionSpec } from "./change-trace-arbitrary.ts";
import { libraryLimit, modelLimit } from "./limit-spec.ts";

const START_MS = 1_790_000_000_123;

export const IN_PROCESS: readonly [name: string, createStore: () => SyncStore][] = [
  ["the memory store", () => memoryStore()],
  ["the table store", () => tableStore({ maxKeys: 64, maxBytes: 2 ** 24 })],
];

/** Plays random traces of at least so many calls in all. */
export function playTraces(createStore: () => SyncStore, calls: number): void {
  for (let played = 0; played < calls; ) played += playSomeTraces(createStore);
}

function playSomeTraces(createStore: () => SyncStore): number {
  let played = 0;
  const property = fc.property(trace, (one) => {
    played += playChanges(one, createStore());
  });
  fc.assert(property, { numRuns: 100 });
  return played;
}

interface Pair {
  readonly limiter: Limiter;
  /** One for each plan. */
  readonly models: readonly Version[];
  /** One handle for each key, held across all changes. */
  readonly handles: (key: string) => Handle;
}

/**
 * Plays a trace over a store and over the model.
 *
 * @returns how many calls it made.
 * @throws Error when the two differ.
 */
function playChanges({ versions, steps }: Trace, store: SyncStore): number {
  const clock = manualClock(START_MS);
  const keys = new ChangingKeys();
  const pairs = versions.map((version) => pairOf(version, store, clock, keys));
  for (const [i, step] of steps.entries()) {
    clock.advance(step.waitUs / 1_000);
    const pair = pairs[step.version % pairs.length];
    if (pair === undefined) throw new Error("a trace has versions");
    const nowUs = BigInt(Math.round(clock.now() * 1_000));
    const [expected, got] = play(pair, step, nowUs).map((value) => JSON.stringify(value, plain));
    if (got !== expected) throw new Error(`step ${i}, ${JSON.stringify(step)}: expected ${expected}, got ${got}`);
  }
  return steps.length;
}

function pairOf(spec: VersionSpec, store: SyncStore, clock: ManualClock, keys: ChangingKeys): Pair {
  const list = spec.limits.map((limit) => libraryLimit(limit, limit.name));
  const named = spec.limits.map((limit, i): NamedLimit => {
    const made = list[i];
    if (made === undefined) throw new Error("a limit for each spec");
    return { name: limit.name, numbers: made.fingerprint, limit: modelLimit(limit, made) };
  });
  const { onChange } = spec;
  const limiter = createLimiter({
    name: "api",
    limits: spec.isChosen ? (_key: string) => list : list,
    clock,
    store,
    onChange,
  });
  const plans = spec.isChosen ? named.map((one) => [one]) : [named];
  const held = new Map(["ann", "bob"].map((key) => [key, limiter.handle(key)]));
  const handles = (key: string) => held.get(key) ?? limiter.handle(key);
  return { limiter, models: plans.map((plan) => createVersion(keys, plan, onChange)), handles };
}

function play({ limiter, models, handles }: Pair, step: Step, nowUs: bigint): readonly [unknown, unknown] {
  const { key, verb } = step;
  const hasUnits = new Set(models.flatMap((model) => model.limits.map(({ unit }) => unit))).size > 1;
  const units = BigInt(step.cost);
  const cost = hasUnits ? { requests: step.cost, tokens: step.cost } : step.cost;
  const modelCost = hasUnits ? { requests: units, tokens: units } : units;
  const calls = models.map((model) => ({ model, key, cost: modelCost }));
  switch (verb) {
    case "allow":
      return [transact("take", calls, nowUs).allowed, limiter.allow(key, cost)];
    case "batch":
      return [transact("take", calls, nowUs).allowed, limiter.allowMany([key], new Uint8Array(1), cost) === 1];
    case "handle":
      return [transact("take", calls, nowUs).allowed, handles(key).allow(cost)];
    case "consume":
    case "peek":
    case "charge": {
      const outcome = transact(verb === "consume" ? "take" : verb, calls, nowUs);
      const counted = models.flatMap((model) => model.counted);
      return [expectedOf(outcome, counted), gotOf(limiter[verb](key, cost))];
    }
    case "explain": {
      const reports = explain(calls, nowUs);
      const numbers = models.flatMap((model) => model.counted);
      const expected = reports.map((report, i) => [numbers[i]?.name, report.used, report.remaining]);
      return [expected, limiter.explain(key, cost).map(({ name, used, remaining }) => [name, used, remaining])];
    }
    case "refund":
      transact("refund", calls, nowUs);
      limiter.refund(key, cost);
      return [undefined, undefined];
    case "reset":
      for (const model of models) model.reset(key);
      limiter.reset(key);
      return [undefined, undefined];
    case "sweep":
      for (const model of models) model.sweep(nowUs);
      limiter.sweep();
      return [undefined, undefined];
    default:
      return verb satisfies never;
  }
}

function expectedOf(outcome: Outcome, limits: readonly NamedLimit[]): unknown {
  const { allowed, remaining, resetUs, shadowDenied } = outcome;
  const binding = outcome.binding === undefined ? undefined : limits[outcome.binding];
  return {
    allowed,
    limit: binding?.name,
    numbers: binding?.numbers,
    limits: limits.map(({ numbers, limit: { mode } }) => [numbers, mode]),
    remaining: remaining === "unlimited" ? "Infinity" : remaining,
    resetUs,
    shadowDenied: shadowDenied.map((place) => limits[place]?.name),
    retryAfterUs: outcome.allowed ? undefined : outcome.retryAfterUs,
    usedAfterRetry: outcome.allowed ? undefined : outcome.usedAfterRetry,
  };
}

function gotOf(decision: Decision): unknown {
  const { allowed, limit, limits, remaining, resetMs, shadowDenied = [] } = decision;
  return {
    allowed,
    limit: limit?.name,
    numbers: limit?.fingerprint,
    limits: limits.map(({ fingerprint, mode }) => [fingerprint, mode]),
    remaining: remaining === Number.POSITIVE_INFINITY ? "Infinity" : remaining,
    resetUs: Math.round(resetMs * 1_000),
    shadowDenied: shadowDenied.map(({ name }) => name),
    retryAfterUs: decision.allowed ? undefined : waitOf(decision.retryAfterMs),
    usedAfterRetry: decision.allowed ? undefined : decision.usedAfterRetry,
  };
}

function waitOf(ms: number): number | "never" {
  return ms === Number.POSITIVE_INFINITY ? "never" : Math.round(ms * 1_000);
}

function plain(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}
