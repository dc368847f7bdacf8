import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Ticks } from "../../src/algorithms/ticks.ts";
import { tickScale } from "../../src/core/limits/tick-scale.ts";

const YEAR_US = 31_557_600_000_000;
const DAY_US = 86_400_000_000;

/** Rates up to 9 per µs, mostly with periods that have nothing in common. */
const rates = fc
  .tuple(
    fc.integer({ min: 1, max: 10_000_000 }),
    fc.integer({ min: 1, max: DAY_US }),
    fc.integer({ min: 1, max: 1_000_000 }),
  )
  .filter(([refill, perUs]) => refill <= 9 * perUs);

describe("ticks of a token bucket", () => {
  it.each([
    [10, 10, 1_000_000, { units: 1, periodUs: 100_000, ticksPerUnit: 100_000, exact: true }],
    [100, 100, 60_000_000, { units: 1, periodUs: 600_000, ticksPerUnit: 600_000, exact: true }],
    [1, 9, 1, { units: 9, periodUs: 1, ticksPerUnit: 1, exact: true }],
    [10, 11, 1_000_000, { units: 11, periodUs: 1_000_000, ticksPerUnit: 2 ** 19, exact: false }],
  ])("have the documented scale for capacity %d and %d units in %d µs", (capacity, refill, perUs, scale) => {
    expect(tickScale(capacity, refill, perUs)).toEqual(scale);
  });

  it("count the whole ticks that have passed exactly, at any moment", () => {
    fc.assert(
      fc.property(
        rates,
        fc.integer({ min: -20 * YEAR_US, max: 20 * YEAR_US }),
        ([refill, perUs, capacity], afterUs) => {
          const { units, periodUs, ticksPerUnit } = tickScale(capacity, refill, perUs);
          const ticks = new Ticks(capacity, refill, perUs, 0);
          const expected = floorDivide(BigInt(afterUs) * BigInt(units) * BigInt(ticksPerUnit), BigInt(periodUs));
          expect(BigInt(ticks.at(afterUs))).toBe(expected);
        },
      ),
      { numRuns: 20_000 },
    );
  });

  it("are exact where the product of floats is on the wrong side of a whole number", () => {
    const { units, periodUs, ticksPerUnit } = tickScale(1, 1_000_003, DAY_US);
    const ticks = new Ticks(1, 1_000_003, DAY_US, 0);
    const ticksPerPeriod = units * ticksPerUnit;
    let floatWasWrong = 0;
    for (let moment = 1; moment < periodUs; moment += 99_937) {
      const exact = Number((BigInt(moment) * BigInt(ticksPerPeriod)) / BigInt(periodUs));
      if (Math.floor(moment * (ticksPerPeriod / periodUs)) === exact) continue;
      floatWasWrong += 1;
      expect(ticks.at(moment)).toBe(exact);
    }
    expect(floatWasWrong).toBeGreaterThan(0);
  });

  it("give the wait until the first microsecond of a tick", () => {
    fc.assert(
      fc.property(
        rates,
        fc.maxSafeInteger(),
        fc.integer({ min: 0, max: 20 * YEAR_US }),
        ([refill, perUs, capacity], tick, nowUs) => {
          const ticks = new Ticks(capacity, refill, perUs, 0);
          const waitUs = ticks.untilUs(tick, nowUs);
          fc.pre(nowUs + waitUs < 30 * YEAR_US);
          expect(ticks.at(nowUs + waitUs)).toBeGreaterThanOrEqual(tick);
          if (waitUs > 0) expect(ticks.at(nowUs + waitUs - 1)).toBeLessThan(tick);
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it("have no wait left while their moment lasts, which can be several microseconds", () => {
    fc.assert(
      fc.property(
        rates,
        fc.integer({ min: 0, max: 20 * YEAR_US }),
        fc.integer({ min: 0, max: 1_000 }),
        ([refill, perUs, capacity], nowUs, laterUs) => {
          const ticks = new Ticks(capacity, refill, perUs, 0);
          expect(ticks.untilUs(ticks.at(nowUs), nowUs)).toBe(0);
          expect(ticks.untilUs(ticks.at(nowUs), nowUs + laterUs)).toBe(0);
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it("differ between two origins by the ticks between these", () => {
    const origin = fc.integer({ min: 0, max: 60 * YEAR_US });
    fc.assert(
      fc.property(
        rates,
        origin,
        origin,
        fc.integer({ min: 0, max: YEAR_US }),
        ([refill, perUs, capacity], one, other, afterUs) => {
          const from = new Ticks(capacity, refill, perUs, one);
          const to = new Ticks(capacity, refill, perUs, other);
          fc.pre(Math.abs(one - other) < 18 * YEAR_US);
          expect(from.at(one + afterUs) - from.at(to.originUs)).toBe(to.at(one + afterUs));
        },
      ),
      { numRuns: 5_000 },
    );
  });
});

function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}
