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
