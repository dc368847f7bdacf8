import fc from "fast-check";
import { concurrency, fixedWindow, slidingWindow, tokenBucket } from "tollgate";
import { describe, expect, it } from "vitest";
import {
  denseFixedWindowSpec,
  denseSlidingWindowSpec,
  largeSlidingWindowSpec,
  plainTokenBucketSpec,
  tokenBucketSpec,
} from "./limit-arbitrary.ts";
import type { LimitSpec } from "./limit-spec.ts";
import { KernelKey, receiptSteps, traceOf, traceOfPlaces } from "./receipt-traces.ts";
import { runs } from "./runs.ts";

const SPECS: Readonly<Record<string, fc.Arbitrary<LimitSpec>>> = {
  "token buckets": fc.oneof(tokenBucketSpec, plainTokenBucketSpec),
  "fixed windows": denseFixedWindowSpec,
  "sliding windows": denseSlidingWindowSpec,
  // Units of a few windows add up to more than the exact integers.
  "sliding windows of large limits": largeSlidingWindowSpec,
  "sliding windows of exact logs": denseSlidingWindowSpec.map((spec) => ({ ...spec, resolutionUs: 0 })),
};

const spanOf = (spec: LimitSpec): number => (spec.kind === "token-bucket" ? spec.perUs : spec.windowUs);

describe("corrections by receipts agree with the reference in every figure", () => {
  it.each(Object.entries(SPECS))("%s", (_kind, specs) => {
    const traces = specs.chain((spec) => fc.tuple(fc.constant(spec), receiptSteps(spanOf(spec))));
    fc.assert(
      fc.property(traces, ([spec, steps]) => traceOf(spec).play(steps)),
      { numRuns: runs(200) },
    );
  });

  it("limits on concurrency", () => {
    const numbers = fc.tuple(fc.constantFrom(1, 2, 3, 8, 63, 64, 65, 1_000), fc.constantFrom(1, 7, 20, 999, 60_007));
    const traces = numbers.chain(([max, ttlUs]) => fc.tuple(fc.constant([max, ttlUs] as const), receiptSteps(ttlUs)));
    fc.assert(
      fc.property(traces, ([[max, ttlUs], steps]) => traceOfPlaces(max, ttlUs).play(steps)),
      { numRuns: runs(100) },
    );
  });
});

/** Limits that are never exhausted here, whose units each leave at a moment of their own. */
const EXACT = [
  ["an exact log", slidingWindow({ limit: 1_000, window: 0.06 })],
  ["a window by the clock", fixedWindow({ limit: 1_000, window: 0.06 })],
  ["places", concurrency({ max: 64, ttl: 0.06 })],
] as const;

const takes = fc.array(
  fc.record({
    units: fc.integer({ min: 1, max: 3 }),
    given: fc.constantFrom(0, 0, 1, 2, 3),
    after: fc.nat(90),
    waitUs: fc.nat(9),
  }),
  { maxLength: 20 },
);

describe("units that are given back in time count as if they had never been taken", () => {
  it.each(EXACT)("under %s", (_name, limit) => {
    const property = fc.property(takes, (all) => {
      const [key, other] = [new KernelKey(limit), new KernelKey(limit)];
      const due: { atUs: number; units: number; untilUs: number }[] = [];
      const startUs = key.nowUs[0]!;
      let next = startUs;
      const moments = all.map(({ waitUs }) => (next += waitUs));
      for (let us = startUs; us < startUs + 300; us += 1) {
        key.nowUs[0] = us;
        other.nowUs[0] = us;
        for (const [i, { units, given, after }] of all.entries()) {
          if (moments[i] !== us) continue;
          key.apply("charge", units);
          const back = Math.min(units, given);
          // What is given back too late has left by itself.
          if (back > 0) due.push({ atUs: us + after, units: back, untilUs: key.untilUs });
          const isInTime = us + after < key.untilUs;
          const kept = isInTime ? units - back : units;
          if (kept > 0) other.apply("charge", kept);
        }
        for (const { atUs, units, untilUs } of due) {
          if (atUs === us) key.apply("refund", units, { untilUs: [untilUs] });
        }
        const isSettled = due.every(({ atUs, untilUs }) => atUs <= us || atUs >= untilUs);
        if (isSettled) expect(key.figures(0)).toEqual(other.figures(0));
      }
    });
    fc.assert(property, { numRuns: runs(30) });
  });
});

describe("what a client gains by late corrections of a token bucket (docs/reserving.md)", () => {
  const CAPACITY = 10;
  /** Ten units refill in ten seconds. */
  const limit = tokenBucket({ capacity: CAPACITY, refill: CAPACITY, per: "10s" });
  const REFILL_US = 1_000_000;

  it("a client that rolls open reservations over saves up all that refills meanwhile, and spends it at once", () => {
    const key = new KernelKey(limit);
    let open: { units: number; untilUs: number }[] = [];
    const reserve = (units: number) => {
      if (key.apply("take", units)) open.push({ units, untilUs: key.untilUs });
    };
    const cancel = ({ units, untilUs }: { units: number; untilUs: number }) =>
      key.apply("refund", units, { untilUs: [untilUs] });
    reserve(CAPACITY);
    const STEPS = 20;
    for (let step = 0; step < STEPS; step += 1) {
      key.nowUs[0]! += 5 * REFILL_US;
      const before = open;
      open = [];
      reserve(5);
      for (const one of before) {
        cancel(one);
        reserve(one.units);
      }
    }
    let spent = 0;
    for (const one of open) {
      cancel(one);
      if (key.apply("take", one.units)) spent += one.units;
    }
    expect(spent).toBe(CAPACITY + 5 * STEPS);
  });

  it("all that any client spends is at most the capacity and what has refilled", () => {
    const steps = fc.array(
      fc.record({ cost: fc.integer({ min: 1, max: CAPACITY }), which: fc.nat(9), waitUs: fc.nat(4 * REFILL_US) }),
      { maxLength: 60, size: "max" },
    );
    const property = fc.property(steps, fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }), (all, mayTake) => {
      const key = new KernelKey(limit);
      const open: { units: number; untilUs: number }[] = [];
      const startUs = key.nowUs[0]!;
      let spent = 0;
      for (const [i, { cost, which, waitUs }] of all.entries()) {
        key.nowUs[0]! += waitUs;
        const receipt = open[which % Math.max(1, open.length)];
        if (mayTake[i] || receipt === undefined) {
          if (!key.apply("take", cost)) continue;
          open.push({ units: cost, untilUs: key.untilUs });
          spent += cost;
        } else {
          const units = Math.min(cost, receipt.units);
          receipt.units -= units;
          key.apply("refund", units, { untilUs: [receipt.untilUs] });
          spent -= units;
        }
        expect(spent).toBeLessThanOrEqual(CAPACITY + (key.nowUs[0]! - startUs) / REFILL_US);
      }
    });
    fc.assert(property, { numRuns: runs(100) });
  });
});
