import { fixedWindow, perMinute, perSecond, slidingWindow } from "tollgate";
import { describe, expect, it } from "vitest";
import { setUp, used } from "./set-up.ts";

describe("a refund", () => {
  it.each([perSecond(5), slidingWindow({ limit: 5, window: "1s" }), fixedWindow({ limit: 5, window: "1s" })])(
    "returns units, never beyond full, and pays debt: $algorithm",
    (limit) => {
      const { limiter } = setUp([limit]);
      limiter.charge("a", 8);
      limiter.refund("a", 2);
      expect(used(limiter)).toEqual([6]);
      limiter.refund("a", 2);
      expect(limiter.consume("a")).toMatchObject({ allowed: true, remaining: 0 });
      limiter.refund("a", 1_000);
      expect(limiter.explain("a")[0]).toMatchObject({ used: 0, remaining: 5, resetMs: 0 });
      limiter.refund("new", 5);
      expect(limiter.size).toBe(1);
    },
  );

  it("that is late can add to units that have refilled, as documented", () => {
    const { clock, limiter } = setUp([perSecond(5)]);
    limiter.allow("a", 5);
    clock.advance(600);
    limiter.refund("a", 5);
    expect(limiter.allow("a", 5)).toBe(true);
  });
});

describe("reset, clear and disposal", () => {
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

  it("leave a limiter that goes on deciding", () => {
    const { limiter } = setUp([perSecond(1)]);
    limiter[Symbol.dispose]();
    expect([limiter.allow("a"), limiter.allow("a")]).toEqual([true, false]);
  });
});
