import { combine, createLimiter, perMinute, perSecond } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS, setUp, used } from "./set-up.ts";

describe("shadow limits", () => {
  it("without other limits allow everything", () => {
    const { limiter } = setUp([perSecond(1, { mode: "shadow" })]);
    limiter.allow("a");
    expect(limiter.allow("a")).toBe(true);
    expect(limiter.consume("a", 50)).toMatchObject({
      allowed: true,
      limit: undefined,
      remaining: Number.POSITIVE_INFINITY,
    });
    expect(used(limiter)).toEqual([1]);
  });

  it("are charged and refunded like enforcing limits", () => {
    const { limiter } = setUp([perSecond(5), perMinute(2, { mode: "shadow" })]);
    limiter.charge("a", 4);
    expect(used(limiter)).toEqual([4, 4]);
    limiter.refund("a", 3);
    expect(used(limiter)).toEqual([1, 1]);
  });

  it("in a combination bind only shadow decisions of their own limiter", () => {
    const clock = manualClock(START_MS);
    const watched = createLimiter({ name: "watched", limits: [perSecond(1, { mode: "shadow" })], clock });
    const real = createLimiter({ name: "real", limits: [perSecond(3)], clock });
    const both = combine(watched, real);
    expect(Array.from({ length: 5 }, () => both.allow("a")).filter(Boolean)).toHaveLength(3);
    expect(both.consume("a").shadowDenied).toHaveLength(1);
    expect([used(watched), used(real)]).toEqual([[1], [3]]);
  });
});
