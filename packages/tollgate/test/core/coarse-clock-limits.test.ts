import fc from "fast-check";
import { type Clock, coarseClock, createLimiter, type Limit, perSecond, slidingWindow } from "tollgate";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CALLS_PER_READ, CountingClock } from "./counting-clock.ts";

/** The true times of admissions under a coarse clock, and how late that clock was at most. */
function admissions(limits: readonly Limit[], stepsMs: readonly number[]) {
  const ticking = new CountingClock();
  const coarse = coarseClock(ticking);
  let lagMs = 0;
  const limiter = createLimiter({
    limits,
    clock: {
      now: () => {
        const nowMs = coarse.now();
        lagMs = Math.max(lagMs, ticking.nowMs - nowMs);
        return nowMs;
      },
    },
  });
  const times: number[] = [];
  for (const stepMs of stepsMs) {
    ticking.nowMs += stepMs;
    if (limiter.allow("a")) times.push(ticking.nowMs);
  }
  return { times, lagMs };
}

describe("limits under a coarse clock", () => {
  let source: CountingClock;
  let clock: Clock;
  beforeEach(() => {
    vi.useFakeTimers();
    source = new CountingClock();
    clock = coarseClock(source);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const BURST = 5;
  const WINDOW_MS = 50;
  const stepsMs = fc.array(
    fc.oneof(
      fc.constant(0),
      fc.nat({ max: 8 }).map((ms) => ms / 2),
    ),
    { minLength: 100, maxLength: 300 },
  );

  it("let a token bucket gain no more than its refill while the clock is late", () => {
    const play = fc.property(stepsMs, (steps) => {
      const { times, lagMs } = admissions([perSecond(800, { burst: BURST })], steps);
      for (const [first, fromMs] of times.entries()) {
        for (const [i, untilMs] of times.slice(first).entries()) {
          const gained = i + 1 - (BURST + 0.8 * (untilMs - fromMs));
          expect(gained).toBeLessThanOrEqual(0.8 * lagMs + 1e-6);
        }
      }
    });
    fc.assert(play, { numRuns: 40, seed: 1 });
  });

  it("let a token bucket gain that refill at once", () => {
    const limiter = createLimiter({ limits: [perSecond(1_000, { burst: 20 })], clock });
    limiter.allow("a", 0);
    source.nowMs += 7;
    for (let call = 1; call < CALLS_PER_READ; call += 1) limiter.allow("a", call === 1 ? 20 : 0);
    expect([limiter.allow("a", 7), limiter.allow("a")]).toEqual([true, false]);
  });

  it("let a window be shorter by no more than the lag of the clock", () => {
    let most = 0;
    const play = fc.property(stepsMs, (steps) => {
      const { times, lagMs } = admissions([slidingWindow({ limit: BURST, window: WINDOW_MS })], steps);
      for (const fromMs of times) {
        const counted = times.filter((ms) => ms >= fromMs && ms < fromMs + WINDOW_MS);
        most = Math.max(most, counted.length);
        expect(counted.filter((ms) => ms < fromMs + WINDOW_MS - lagMs).length).toBeLessThanOrEqual(BURST);
      }
    });
    fc.assert(play, { numRuns: 40, seed: 1 });
    expect(most).toBeGreaterThan(BURST);
  });
});
