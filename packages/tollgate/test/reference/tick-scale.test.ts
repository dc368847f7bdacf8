import { describe, expect, it } from "vitest";
import { createModel } from "./model.ts";
import { bucket, DAY, model, SECOND } from "./sample-limits.ts";
import { TickBucketRules } from "./tick-bucket.ts";
import { tickDrift } from "./tick-drift.ts";
import { tickScale, YEAR_US } from "./tick-scale.ts";

describe("the model's ticks", () => {
  it("are exact if thirty years and four capacities fit 53 bits", () => {
    const scale = tickScale(bucket({ capacity: 100n, refill: 100n, perUs: 60n * SECOND }));
    expect(scale).toMatchObject({
      exact: true,
      ticksPerUnit: 600_000n,
      // 20 years at a tick per µs, and a period of 600,000.
      mostDebt: 2n ** 53n - 1n - 20n * YEAR_US - 600_000n,
    });
    expect([scale.ticks(7n), scale.firstUs(7n)]).toEqual([7n, 7n]);
    expect(tickScale(bucket({ refill: 9n, perUs: 1n })).exact).toBe(true);
    expect(() => tickScale(bucket({ refill: 10n, perUs: 1n }))).toThrow(RangeError);
  });

  it("are a power of two for each unit otherwise", () => {
    // A million a day with a burst of 10^9: N/P = 1/86400, 30y + 4e9·86400 = 1.29e15 fits.
    expect(tickScale(bucket({ capacity: 10n ** 9n, refill: 1_000_000n, perUs: DAY })).exact).toBe(true);
    // One a day, capacity a million: 10,957 units in 30 years + 4,000,000; 2^53 / 4,010,957.5 = 2.2457e9, so 2^31.
    const slow = tickScale(bucket({ capacity: 1_000_000n, refill: 1n, perUs: DAY }));
    expect(slow).toMatchObject({
      exact: false,
      ticksPerUnit: 2n ** 31n,
      // 20 years are 7,305 days, one unit each.
      mostDebt: 2n ** 53n - 1n - 7_306n * 2n ** 31n,
    });
    // 2^31 ticks in 86.4e9 µs: a tick takes 40.23 µs.
    expect([slow.ticks(40n), slow.ticks(41n), slow.firstUs(1n), slow.firstUs(2n)]).toEqual([0n, 1n, 41n, 81n]);
    expect(slow.ticks(-1n)).toBe(-1n);
    // 999,983 (a prime) each second and 7 µs: 0.99998 per µs, in lowest terms; 2^53 / 9.467e14 = 9.5, so 2^3.
    const fast = tickScale(bucket({ capacity: 10n, refill: 999_983n, perUs: 1_000_007n }));
    expect(fast).toMatchObject({ exact: false, ticksPerUnit: 8n });
    expect([fast.ticks(1n), fast.ticks(1_000_007n)]).toEqual([7n, 7_999_864n]);
  });

  it("end a debt where a moment twenty years and a period after the origin would not be an exact integer", () => {
    // At 1 unit per µs, a tick is a unit and a µs.
    const m = createModel({ limits: [bucket({ capacity: 10n, refill: 1n, perUs: 1n })] });
    const mostDebt = 2n ** 53n - 1n - 20n * YEAR_US - 1n;
    m.apply("charge", "k", 2_000n, 2n ** 53n - 1n);
    m.apply("charge", "k", 2_000n, 2n ** 53n - 1n);
    expect(m.explain("k", 2_000n, 1n)[0]).toMatchObject({ used: mostDebt, resetUs: mostDebt });
    // After the clock went back the debt is larger than its ceiling, and stays.
    m.apply("charge", "k", 1_000n, 5n);
    expect(m.explain("k", 2_000n, 1n)[0]).toMatchObject({ used: mostDebt });
  });

  it("count whole units of a scaled bucket exactly", () => {
    const m = model(bucket({ capacity: 1_000_000n, refill: 1n, perUs: DAY }));
    expect(m.apply("take", "k", 12_345n, 999_999n)).toMatchObject({
      allowed: true,
      remaining: 1n,
    });
    expect(m.apply("take", "k", 12_345n, 1n)).toMatchObject({
      allowed: true,
      remaining: 0n,
    });
    // ticks(12,345) = ⌊306.83⌋ = 306; the unit is back at tick 306 + 2^31, first reached at 12,312 µs + 1 day.
    expect(m.apply("take", "k", 12_345n, 1n)).toMatchObject({
      allowed: false,
      retryAfterUs: DAY - 33n,
    });
  });

  it("are never late, and early by less than a tick", () => {
    const limit = bucket({ capacity: 1_000_000n, refill: 1n, perUs: DAY });
    expect(new TickBucketRules(limit).scale.exact).toBe(false);
    const steps = [
      { verb: "take", nowUs: 12_345n, cost: 1_000_000n },
      { verb: "take", nowUs: 12_312n + DAY, cost: 1n },
      { verb: "charge", nowUs: 12_345n + DAY, cost: 1n },
      { verb: "refund", nowUs: 12_345n + DAY, cost: 2n },
      { verb: "take", nowUs: 12_345n + DAY, cost: 2n },
    ] as const;
    expect(tickDrift(limit, steps)).toBeUndefined();
  });
});
