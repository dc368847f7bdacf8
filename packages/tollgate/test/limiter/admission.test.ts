import { createLimiter, memoryStore, perMinute, perSecond, slidingWindow } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { admitted, START_MS, setUp } from "./set-up.ts";

describe("a bucket of 5", () => {
  const five = () => {
    const clock = manualClock(START_MS);
    return { clock, limiter: createLimiter({ limits: [perSecond(5)], clock }) };
  };

  it("admits 5 calls and denies the 6th", () => {
    const { limiter } = five();
    expect(Array.from({ length: 6 }, () => limiter.allow("a"))).toEqual([true, true, true, true, true, false]);
  });

  it("admits exactly one more call after the time of one unit", () => {
    const { clock, limiter } = five();
    admitted(limiter, 6);
    clock.advance(200);
    expect(admitted(limiter, 5)).toBe(1);
  });

  it("admits exactly 5 of 20 concurrent calls", async () => {
    const { limiter } = five();
    const answers = await Promise.all(Array.from({ length: 20 }, async () => limiter.allow("a")));
    expect(answers.filter(Boolean)).toHaveLength(5);
  });

  it("admits 5 calls of client B after client A is exhausted", () => {
    const { limiter } = five();
    admitted(limiter, 6, "A");
    expect(admitted(limiter, 6, "B")).toBe(5);
  });
});

describe("several limits", () => {
  it("of 10 a second and 100 a minute leave every cell unchanged when one denies", () => {
    const { clock, limiter } = setUp([perSecond(10), perMinute(100), slidingWindow({ limit: 90, window: "1m" })]);
    for (let second = 0; second < 9; second += 1) {
      for (let i = 0; i < 10; i += 1) expect(limiter.allow("a")).toBe(true);
      const before = limiter.explain("a");
      for (let i = 0; i < 50; i += 1) expect(limiter.allow("a")).toBe(false);
      for (let i = 0; i < 50; i += 1) expect(limiter.consume("a", 3).allowed).toBe(false);
      expect(limiter.explain("a")).toEqual(before);
      clock.advance(1_000);
    }
    expect(limiter.consume("a").limit?.algorithm).toBe("sliding-window");
  });

  it("chosen by a function can differ by method and by plan, and keep their buckets when a client switches plans", () => {
    const clock = manualClock(START_MS);
    type Call = { readonly client: string; readonly method: "GET" | "POST"; readonly paid: boolean };
    const get = perSecond(50, { name: "get" });
    const post = perSecond(10, { name: "post" });
    const free = perMinute(20, { name: "free" });
    const limiter = createLimiter({
      key: (call: Call) => call.client,
      limits: ({ method, paid }) => [method === "GET" ? get : post, ...(paid ? [] : [free])],
      clock,
    });
    const calls = (client: string, method: Call["method"], paid: boolean, count: number) =>
      Array.from({ length: count }, () => limiter.allow({ client, method, paid })).filter(Boolean).length;

    expect(calls("paying", "GET", true, 60)).toBe(50);
    expect(calls("paying", "POST", true, 60)).toBe(10);
    expect(calls("free", "POST", false, 60)).toBe(10);
    expect(calls("free", "GET", false, 60)).toBe(10);
    // The client pays from now on, and keeps its buckets per method.
    expect(calls("free", "GET", true, 60)).toBe(40);
    expect(calls("free", "POST", true, 60)).toBe(0);
  });

  it("chosen by a function are one bucket for equal limits, even if each call makes them anew", () => {
    const { limiter } = setUp((key) => (key === "a" ? [perSecond(3)] : "unlimited"));
    expect(Array.from({ length: 5 }, () => limiter.allow("a")).filter(Boolean)).toHaveLength(3);
  });

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
