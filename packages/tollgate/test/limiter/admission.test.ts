import { createLimiter, memoryStore, perMinute, perSecond, slidingWindow } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS, setUp } from "./set-up.ts";

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

  it("chosen by a function may be ten thousand, and those without keys are released", () => {
    const clock = manualClock(START_MS);
    const store = memoryStore();
    const limiter = createLimiter({ limits: (key) => [perSecond(1, { burst: Number(key) })], clock, store });
    for (let i = 1; i <= 10_000; i += 1) {
      expect(limiter.consume(String(i), i).allowed).toBe(true);
      clock.advance(20_000_000);
      if (i % 500 === 0) limiter.sweep();
    }
    expect(limiter.sweep()).toBeLessThanOrEqual(500);
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

describe("decision.remaining", () => {
  it("is the least of the enforcing limits in the unit of the binding limit, never below 0", () => {
    const { limiter } = setUp([
      perSecond(10),
      perMinute(12),
      perMinute(3, { name: "watched", mode: "shadow" }),
      perMinute(1_000, { unit: "tokens" }),
    ]);
    expect(limiter.consume("a", { requests: 5, tokens: 10 }).remaining).toBe(5);
    expect(limiter.consume("a", { requests: 1, tokens: 900 })).toMatchObject({
      remaining: 90,
      limit: { unit: "tokens" },
    });
    expect(limiter.charge("a", 20).remaining).toBe(0);
  });
});
