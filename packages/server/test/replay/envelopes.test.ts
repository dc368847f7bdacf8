import fc from "fast-check";
import { createLimiter, tokenBucket } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { Envelopes } from "../../src/replay/envelopes.ts";
import { RATES, UNITS_PER_US } from "../../src/replay/rates.ts";

/** Moments of one client's requests, in order: bursts, and gaps from a microsecond to days. */
const momentsArbitrary = fc
  .array(fc.oneof(fc.constant(0), fc.nat(1_000), fc.nat(2_000_000), fc.nat(600_000_000), fc.nat(200_000_000_000)), {
    minLength: 1,
    maxLength: 60,
  })
  .map((gaps) => {
    let us = 1_700_000_000_000_000;
    return gaps.map((gap) => {
      us += gap;
      return us;
    });
  });

function envelopesOf(moments: readonly number[]): Envelopes {
  const envelopes = new Envelopes();
  for (const us of moments) envelopes.add(5, us);
  return envelopes;
}

/** The most that was sent in any span beyond what flowed in. */
function mostBeyond(moments: readonly number[], rate: number): number {
  const perUs = UNITS_PER_US[rate] ?? expect.fail();
  const spans = moments.map((end, j) => moments.slice(0, j + 1).map((start, i) => j - i + 1 - perUs * (end - start)));
  return Math.max(...spans.flat());
}

describe("the least capacity that denies a client nothing", () => {
  it("is the most that it sent in any span beyond what flowed in", () => {
    fc.assert(
      fc.property(momentsArbitrary, (moments) => {
        const envelopes = envelopesOf(moments);
        RATES.forEach((_, rate) => {
          const most = mostBeyond(moments, rate);
          const least = envelopes.needs(rate, 6)[5];
          // Arithmetic in floats may miss a whole number by a little.
          expect([Math.ceil(most - 1e-6), Math.ceil(most + 1e-6)]).toContain(least);
        });
      }),
      { numRuns: 300 },
    );
  });

  it("is what a token bucket needs to admit every request, and a unit less denies one", () => {
    fc.assert(
      fc.property(momentsArbitrary, fc.nat(RATES.length - 1), (moments, index) => {
        const rate = RATES[index] ?? expect.fail();
        const least = envelopesOf(moments).needs(index, 6)[5] ?? -1;
        fc.pre(least === Math.ceil(mostBeyond(moments, index) - 1e-6));
        const admitted = (capacity: number) => {
          const clock = manualClock(0);
          const limits = [tokenBucket({ capacity, refill: rate.refill, per: rate.per })];
          const limiter = createLimiter({ limits, clock });
          return moments.filter((us) => {
            clock.set(us / 1_000);
            return limiter.allow("ann");
          }).length;
        };
        expect(admitted(least)).toBe(moments.length);
        if (least > 1) expect(admitted(least - 1)).toBeLessThan(moments.length);
      }),
      { numRuns: 300 },
    );
  });

  it("is 0 for a client without requests", () => {
    const needs = envelopesOf([1]).needs(0, 5_000);
    expect([needs[4], needs[5], needs[4_999]]).toEqual([0, 1, 0]);
  });
});
