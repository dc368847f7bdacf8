import fc from "fast-check";
import { type NamedProperty, namedProperty } from "./named-property.ts";
import { runScenario } from "./run-scenario.ts";
import type { Scenario, Step, StepVerb } from "./scenario.ts";
import { start } from "./scenario-arbitrary.ts";

/** A ring for an exact log has as many places as the limit has units. Only charges can fill it. */
const LIMIT = 1_000;
/** Long enough for far more groups than the ring has places. */
const WINDOW_US = 200_000;
const MOST_APART_US = 200;
const LOOKS = 20;

const steps = fc.array(
  fc.record({
    us: fc.integer({ min: 0, max: MOST_APART_US }),
    verb: fc.constantFrom("charge" as const, "charge" as const, "charge" as const, "consume" as const),
    count: fc.integer({ min: 0, max: 3 }),
  }),
  { minLength: Math.floor(1.7 * LIMIT), maxLength: Math.floor(1.9 * LIMIT), size: "max" },
);

/** Too long to be shrunk. */
const longLog: fc.Arbitrary<Scenario> = fc
  .noShrink(fc.record({ startUs: start, resolutionUs: fc.constantFrom(0, 30), steps }))
  .map(({ startUs, resolutionUs, steps: taken }) => ({
    startUs,
    limiters: [
      [
        {
          kind: "sliding-window",
          unit: "requests",
          mode: "enforce",
          limit: LIMIT,
          windowUs: WINDOW_US,
          resolutionUs,
        },
      ],
    ],
    store: "memory",
    steps: [
      ...taken.map(({ us, verb, count }) => stepOf(us, verb, count)),
      // Merged groups leave late, which shows after the first of them should have left.
      ...Array.from({ length: LOOKS }, () => stepOf(WINDOW_US / 10, "explain", 0)),
    ],
  }));

function stepOf(us: number, verb: StepVerb, count: number): Step {
  return {
    move: { to: "later", us },
    verb,
    who: 0,
    keys: [0, 0],
    cost: { as: "number", amount: { of: "number", count } },
    by: "input",
  };
}

export const FULL_RING: readonly NamedProperty[] = [
  namedProperty("a sliding window whose ring is full merges as the model does", 0.005, longLog, (one) =>
    runScenario(one, { throughSweeps: true }),
  ),
];
