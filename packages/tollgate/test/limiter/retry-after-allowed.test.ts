import fc from "fast-check";
import { createLimiter, fixedWindow, type Limit, perMinute, perSecond, slidingWindow } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";

const START_MS = 1_790_000_000_000;

const limit: fc.Arbitrary<(name: string) => Limit> = fc.oneof(
  fc.integer({ min: 1, max: 9 }).map((count) => (name: string) => perSecond(count, { name })),
  fc.integer({ min: 1, max: 9 }).map((count) => (name: string) => perMinute(count, { name, burst: 3 })),
  fc.integer({ min: 1, max: 9 }).map((count) => (name: string) => slidingWindow({ name, limit: count, window: "5s" })),
  fc.integer({ min: 1, max: 9 }).map((count) => (name: string) => fixedWindow({ name, limit: count, window: "7s" })),
  fc.constant((name: string) => perMinute(1, { name, mode: "shadow" })),
);

describe("an allowed decision", () => {
  it("says the same wait as a peek at that moment", () => {
    const steps = fc.array(fc.record({ cost: fc.integer({ min: 1, max: 3 }), laterMs: fc.nat(900) }), { minLength: 3 });
    fc.assert(
      fc.property(fc.array(limit, { minLength: 1, maxLength: 4 }), steps, (limits, calls) => {
        const clock = manualClock(START_MS);
        const named = limits.map((make, index) => make(`limit ${index}`));
        const limiter = createLimiter({ limits: named, clock });
        for (const { cost, laterMs } of calls) {
          clock.advance(laterMs + 1);
          const decision = limiter.consume("ann", cost);
          const next = limiter.peek("ann", cost);
          if (decision.allowed) expect(decision.retryAfterMs).toBe(next.allowed ? 0 : next.retryAfterMs);
        }
      }),
      { numRuns: 500 },
    );
  });
});
