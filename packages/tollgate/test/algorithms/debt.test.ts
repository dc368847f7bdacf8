import { createLimiter, perDay, perSecond, tokenBucket } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../start-ms.ts";

describe("the ceiling of a token bucket's debt", () => {
  it.each([perSecond(10), perDay(1, { burst: 1_000_000 }), tokenBucket({ capacity: 5, refill: 9, per: 0.001 })])(
    "is at least four capacities, and a charge after the clock went back does not lower the debt: $name",
    (limit) => {
      const clock = manualClock(START_MS);
      const limiter = createLimiter({ limits: [limit], clock });
      for (let i = 0; i < 3; i += 1) limiter.charge("a", Number.MAX_SAFE_INTEGER);
      const most = limiter.explain("a")[0]?.resetMs ?? 0;
      expect(limiter.explain("a")[0]?.used).toBeGreaterThanOrEqual(4 * limit.capacity - 1);
      clock.advance(-86_400_000);
      limiter.charge("a", 1);
      clock.advance(86_400_000);
      expect(limiter.explain("a")[0]?.resetMs).toBe(most);
    },
  );

  it("does not depend on the time at which the limiter was made", () => {
    const resets = [START_MS, START_MS - 500_000_000_000].map((madeAtMs) => {
      const clock = manualClock(madeAtMs);
      const limiter = createLimiter({ limits: [perSecond(7)], clock });
      limiter.peek("a");
      clock.set(START_MS);
      limiter.charge("a", Number.MAX_SAFE_INTEGER);
      return limiter.explain("a")[0]?.resetMs;
    });
    expect(resets[0]).toBe(resets[1]);
  });
});
