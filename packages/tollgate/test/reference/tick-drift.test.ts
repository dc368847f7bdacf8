import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bucket } from "./sample-limits.ts";
import { type DriftStep, tickDrift } from "./tick-drift.ts";

const DAY_US = 86_400_000_000n;
const START_US = 1_784_000_000_000_000n;

const limit = fc
  .record({
    capacity: fc.bigInt({ min: 1n, max: 1_000_000n }),
    refill: fc.bigInt({ min: 1n, max: 10_000n }),
    perUs: fc.oneof(fc.bigInt({ min: 1n, max: 2_000_003n }), fc.bigInt({ min: 1n, max: 10n * DAY_US })),
  })
  .filter(({ refill, perUs }) => refill <= 9n * perUs)
  .map(bucket);

/** Hundredths of the capacity, and of the time that it takes to fill; the clock goes back now and then. */
const step = fc.record({
  verb: fc.constantFrom("take" as const, "take" as const, "take" as const, "charge" as const, "refund" as const),
  later: fc.oneof(fc.constant(0n), fc.bigInt({ min: -10n, max: 150n })),
  laterUs: fc.bigInt({ min: -2n, max: 40n }),
  cost: fc.bigInt({ min: 0n, max: 100n }),
});

describe("a bucket that counts in ticks", () => {
  it("is never late, and early by less than a tick", () => {
    const everyRun = fc.property(limit, fc.array(step, { maxLength: 40, size: "max" }), (of, steps) => {
      let nowUs = START_US;
      const fillUs = (of.capacity * of.perUs) / of.refill;
      const most = of.capacity * 3n;
      let charged = 0n;
      const run = steps.flatMap(({ verb, later, laterUs, cost }): DriftStep[] => {
        nowUs += (fillUs * later) / 100n + laterUs;
        const units = (of.capacity * cost + 99n) / 100n;
        if (verb === "charge") charged += units;
        return verb === "charge" && charged > most ? [] : [{ verb, nowUs, cost: units }];
      });
      expect(tickDrift(of, run)).toBeUndefined();
    });
    fc.assert(everyRun, { numRuns: 3_000, seed: 1 });
  });
});
