import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LearnedLimits } from "../../src/limited-fetch/learned-limits.ts";
import { CpuTimer } from "../http/cpu-time.ts";

const WINDOW_MS = 1_000;
const WINDOW_US = 1_000_000;
/** Requests that are sent this close together leave together. */
const GROUP_US = WINDOW_US / 32;

const callArbitrary = fc.record({
  passUs: fc.oneof(fc.integer({ min: 0, max: 2 * GROUP_US }), fc.integer({ min: 0, max: WINDOW_US })),
  quota: fc.option(fc.integer({ min: 1, max: 8 })),
});

describe("a learned limit", () => {
  it("admits at most its quota in any window, and says when it admits again", () => {
    fc.assert(
      fc.property(fc.array(callArbitrary, { maxLength: 100 }), (calls) => {
        const learned = new LearnedLimits();
        const sentUs: number[] = [];
        let nowUs = 0;
        let limit = 4;
        learned.learn([{ quota: limit, windowMs: WINDOW_MS }]);
        for (const { passUs, quota } of calls) {
          nowUs += passUs;
          limit = quota ?? limit;
          if (quota !== null) learned.learn([{ quota, windowMs: WINDOW_MS }]);
          const waitUs = learned.take(nowUs);
          // Without groups, the call would pass when its quota has left, counted from the last one.
          const freeUs = (sentUs.at(-limit) ?? Number.NEGATIVE_INFINITY) + WINDOW_US;
          const exactUs = Math.max(0, freeUs - nowUs);
          expect(waitUs).toBeGreaterThanOrEqual(exactUs);
          expect(waitUs).toBeLessThanOrEqual(exactUs === 0 ? GROUP_US : exactUs + GROUP_US);
          if (waitUs === 0) sentUs.push(nowUs);
        }
      }),
    );
  });

  it("keeps a count of a few groups, however many requests are sent", () => {
    const learned = new LearnedLimits();
    learned.learn([{ quota: 1_000_000, windowMs: 86_400_000 }]);
    const timer = new CpuTimer();
    for (let i = 0; i < 100_000; i += 1) learned.take(i * 1_000);
    // A group for each request would take minutes.
    expect(timer.elapsedMs).toBeLessThan(5_000);
  });
});
