import { createLimiter, slidingWindow } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../start-ms.ts";
import { setUp } from "./set-up.ts";

describe("a sliding window", () => {
  it.each([
    { limit: 2_000, window: "1h", resolution: 0, denied: 0 },
    { limit: 4_096, window: "1h", resolution: 0, denied: 0 },
    // If a group of two spans the start of a window, its first unit leaves 720 ms late.
    { limit: 5_000, window: "1h", resolution: "1s", denied: 3 },
  ] as const)("of $limit in $window, by $resolution, admits its rate", ({ denied, ...options }) => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [slidingWindow(options)], clock });
    const calls = 4 * options.limit;
    let allowed = 0;
    for (let i = 0; i < calls; i += 1) {
      clock.set(START_MS + Math.floor((i * 3_600_000_000) / options.limit) / 1_000);
      if (limiter.allow("a")) allowed += 1;
    }
    expect(allowed).toBe(calls - denied);
  });

  it("is unchanged by calls that are refunded", () => {
    const limits = [slidingWindow({ limit: 2, window: "1s" })];
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits, clock });
    for (let i = 0; i < 1_000; i += 1) {
      const key = `key-${i % 3}`;
      for (let taken = 0; taken < 3; taken += 1) {
        if (limiter.allow(key)) limiter.refund(key, 1);
        clock.advance(1);
      }
      const fresh = createLimiter({ limits, clock });
      expect(limiter.peek(key)).toEqual(fresh.peek(key));
    }
    // At exactly its rate, with as many calls refunded as kept, it admits every call that is kept.
    let kept = 0;
    for (let i = 0; i < 200; i += 1) {
      if (limiter.allow("steady")) kept += 1;
      clock.advance(250);
      if (limiter.allow("steady")) limiter.refund("steady", 1);
      clock.advance(250);
    }
    expect(kept).toBe(200);
  });

  it("has groups that span no more than the resolution, however many calls are refunded", () => {
    const { clock, limiter } = setUp([slidingWindow({ limit: 100, window: "64s" })]);
    // One unit every 900 ms is kept, 71 in any 64 s, and as many are refunded.
    for (let i = 0; i < 500; i += 1) {
      expect(limiter.allow("a")).toBe(true);
      clock.advance(100);
      expect(limiter.allow("a")).toBe(true);
      limiter.refund("a", 1);
      clock.advance(800);
    }
    const denied = limiter.peek("a", 100);
    expect(denied.allowed ? 0 : denied.retryAfterMs).toBeLessThanOrEqual(64_000);
    clock.advance(63_000);
    expect(limiter.explain("a")[0]?.used).toBeLessThanOrEqual(2);
  });
});
