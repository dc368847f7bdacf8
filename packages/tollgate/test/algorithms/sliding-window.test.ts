import { createLimiter, slidingWindow } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";

const START_MS = 1_790_000_000_123;

const setUp = (limit: number) => {
  const clock = manualClock(START_MS);
  const limiter = createLimiter({ limits: [slidingWindow({ limit, window: "1s" })], clock });
  return { clock, limiter, used: () => limiter.explain("a")[0]?.used };
};

describe("the ring of a sliding window", () => {
  it("starts its totals again before they leave the exact integers, with what is in use", () => {
    const { clock, limiter, used } = setUp(5);
    limiter.charge("a", 2 ** 52);
    clock.advance(600);
    limiter.charge("a", 1);
    clock.advance(500);
    limiter.charge("a", 2 ** 52);
    expect(used()).toBe(2 ** 52 + 1);
    clock.advance(500);
    expect(used()).toBe(2 ** 52);
  });

  it.each([1, 2, 3])("that has gone round gives back the units of %d groups at once", (groups) => {
    const { clock, limiter, used } = setUp(3);
    for (let i = 0; i < 20; i += 1) {
      expect(limiter.allow("a")).toBe(true);
      clock.advance(400);
    }
    clock.advance(-400);
    expect(used()).toBe(3);
    limiter.refund("a", groups);
    expect(used()).toBe(3 - groups);
    expect(Array.from({ length: 4 }, () => limiter.allow("a")).filter(Boolean)).toHaveLength(groups);
    clock.advance(200);
    expect(used()).toBe(groups === 3 ? 3 : 2);
    clock.advance(800);
    expect(used()).toBe(0);
  });
});
