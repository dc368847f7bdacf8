import { fixedWindow, perMinute, perSecond, slidingWindow } from "tollgate";
import { describe, expect, it } from "vitest";
import { setUp, used } from "./set-up.ts";

describe("a refund", () => {
  it("of a decision gives back what that call took, whatever calls came since", () => {
    const { clock, limiter } = setUp([
      slidingWindow({ limit: 9, window: "1s", resolution: 0 }),
      fixedWindow({ limit: 9, window: "10s", anchor: "first-use" }),
    ]);
    const first = limiter.consume("a", 2);
    clock.advance(600);
    const second = limiter.consume("a", 3);
    limiter.consume("b", 4);
    limiter.refund("a", 9, second);
    expect([used(limiter), used(limiter, "b")]).toEqual([
      [2, 2],
      [4, 4],
    ]);
    clock.advance(500);
    // The sliding window has forgotten the first call by now, and the refund leaves what came since.
    limiter.consume("a", 1);
    limiter.refund("a", 9, first);
    expect(used(limiter)).toEqual([1, 1]);
    limiter.refund("a", 9, first);
    expect(used(limiter)).toEqual([1, 1]);
  });

  it("that is late can add to units that have refilled, as documented", () => {
    const { clock, limiter } = setUp([perSecond(5)]);
    limiter.allow("a", 5);
    clock.advance(600);
    limiter.refund("a", 5);
    expect(limiter.allow("a", 5)).toBe(true);
  });
});

describe("reset and clear", () => {
  it("forget a key under every limit that a function has chosen", () => {
    let limits = [perMinute(1)];
    const { limiter } = setUp(() => limits);
    limiter.allow("a");
    limits = [perMinute(2)];
    limiter.allow("a", 2);
    limiter.reset("a");
    expect(limiter.allow("a", 2)).toBe(true);
    limits = [perMinute(1)];
    expect(limiter.allow("a")).toBe(true);
    expect(limiter.size).toBe(2);
    limiter.clear();
    expect(limiter.size).toBe(0);
  });
});
