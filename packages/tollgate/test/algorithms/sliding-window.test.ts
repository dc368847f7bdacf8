import { createLimiter, slidingWindow } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../start-ms.ts";
import { randomBelow } from "../stores/local/random-words.ts";

const setUp = (limit: number) => {
  const clock = manualClock(START_MS);
  const limiter = createLimiter({ limits: [slidingWindow({ limit, window: "1s" })], clock });
  return { clock, limiter, used: () => limiter.explain("a")[0]?.used };
};

describe("the ring of a sliding window", () => {
  it("restarts its totals at the units in use before they leave the exact integers", () => {
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

  it.each([1, 2, 10, 19])("refunds the units of %d groups at once after it has gone round", (groups) => {
    const { clock, limiter, used } = setUp(20);
    for (let i = 0; i < 100; i += 1) {
      expect(limiter.allow("a")).toBe(true);
      clock.advance(50);
    }
    clock.advance(-50);
    expect(used()).toBe(20);
    limiter.refund("a", groups);
    expect(used()).toBe(20 - groups);
    expect(Array.from({ length: 25 }, () => limiter.allow("a")).filter(Boolean)).toHaveLength(groups);
    clock.advance(50);
    expect(used()).toBe(19);
    clock.advance(949);
    expect(used()).toBe(groups);
    clock.advance(1);
    expect(used()).toBe(0);
  });

  it("starts anew after its units have left, even if a later group was emptied by a refund", () => {
    const clock = manualClock(START_MS);
    const limits = [slidingWindow({ limit: 10, window: "1s", resolution: "400ms" })];
    const [kept, swept] = [createLimiter({ limits, clock }), createLimiter({ limits, clock })];
    const both = [kept, swept];
    for (const limiter of both) limiter.allow("a");
    clock.advance(700);
    for (const limiter of both) {
      limiter.allow("a");
      limiter.refund("a", 1);
    }
    clock.advance(350);
    expect(swept.sweep()).toBe(1);
    for (const limiter of both) limiter.allow("a");
    clock.advance(100);
    for (const limiter of both) limiter.allow("a");
    clock.advance(901);
    expect(both.map((limiter) => limiter.explain("a")[0]?.used)).toEqual([2, 2]);
  });

  it("finds what has left, however unevenly the units came", () => {
    const below = randomBelow(9);
    for (let round = 0; round < 40; round += 1) {
      const clock = manualClock(START_MS);
      const limiter = createLimiter({ limits: [slidingWindow({ limit: 200, window: "1m", resolution: 0 })], clock });
      const times: number[] = [];
      let ms = 0;
      for (let call = 0; call < 500; call += 1) {
        // Bursts, and gaps of any size.
        const step = below(3) === 0 ? below(2 ** below(17)) : below(2);
        ms += step;
        clock.advance(step);
        const inUse = times.filter((time) => time + 60_000 > ms).length;
        expect(limiter.explain("a")[0]?.used).toBe(inUse);
        expect(limiter.allow("a")).toBe(inUse < 200);
        if (inUse < 200) times.push(ms);
      }
    }
  });
});
