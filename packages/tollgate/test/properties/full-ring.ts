import fc from "fast-check";
import { type NamedProperty, namedProperty } from "./named-property.ts";
import { runScenario } from "./run-scenario.ts";
import type { Scenario, Step } from "./scenario.ts";
import { start } from "./scenario-arbitrary.ts";

/** As many groups as a ring ever holds are open after about as long as the window. */
const GROUPS = 1_024;
const WINDOW_US = 200_000;
const MOST_APART_US = 340;

const steps = fc.array(
  fc.record({
    us: fc.integer({ min: 0, max: MOST_APART_US }),
    verb: fc.constantFrom("charge" as const, "consume" as const, "consume" as const, "consume" as const),
    count: fc.integer({ min: 0, max: 3 }),
  }),
  { minLength: GROUPS + 50, maxLength: GROUPS + 400, size: "max" },
);

const longLog: fc.Arbitrary<Scenario> = fc
  .record({ startUs: start, resolutionUs: fc.constantFrom(0, 40, 200), steps })
  .map(({ startUs, resolutionUs, steps: taken }) => ({
    startUs,
    limiters: [
      [
        {
          kind: "sliding-window",
          unit: "requests",
          mode: "enforce",
          limit: 5 * GROUPS,
          windowUs: WINDOW_US,
          resolutionUs,
        },
      ],
    ],
    steps: taken.map(
      ({ us, verb, count }): Step => ({
        move: { to: "later", us },
        verb,
        who: 0,
        keys: [0, 0],
        cost: { as: "number", amount: { of: "number", count } },
      }),
    ),
  }));

export const FULL_RING: readonly NamedProperty[] = [
  namedProperty("a sliding window whose ring is full merges as the model does", 0.005, longLog, (one) =>
    runScenario(one, { throughSweeps: true }),
  ),
];
