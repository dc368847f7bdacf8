import { perMinute, slidingWindow } from "tollgate";
import { describe, expect, it } from "vitest";
import { setUp } from "./set-up.ts";

describe("several limits", () => {
  it('chosen by a function that returns "unlimited" allow everything and count nothing', () => {
    const { limiter } = setUp(() => "unlimited");
    expect(limiter.consume("a", 1_000)).toEqual({
      allowed: true,
      limiter: "limiter",
      limit: undefined,
      limits: [],
      remaining: Number.POSITIVE_INFINITY,
      limitRemaining: Number.POSITIVE_INFINITY,
      resetMs: 0,
      retryAfterMs: 0,
    });
    expect(limiter.allow("a")).toBe(true);
    expect(limiter.explain("a")).toEqual([]);
    expect(limiter.size).toBe(0);
  });
});

describe("the first minute of a key, as README.md says", () => {
  it.each([
    [perMinute(10), 19],
    [slidingWindow({ limit: 10, window: "1m" }), 10],
  ])("admits of $algorithm $capacity: %#", (limit, admitted) => {
    const { limiter, clock } = setUp([limit]);
    let count = 0;
    for (let second = 0; second < 60; second += 1) {
      for (let i = 0; i < 11; i += 1) if (limiter.allow("a")) count += 1;
      clock.advance(1_000);
    }
    expect(count).toBe(admitted);
  });
});
