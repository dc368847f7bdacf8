import fc from "fast-check";
import { type Clock, coarseClock, createLimiter, type Limit, perSecond, slidingWindow } from "tollgate";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { START_MS } from "../start-ms.ts";

/** A coarse clock reads its source for one call of so many. */
const CALLS_PER_READ = 16;

/** A clock that a test sets, and that counts its readings. */
class CountingClock implements Clock {
  nowMs = START_MS;
  reads = 0;

  now(): number {
    this.reads += 1;
    return this.nowMs;
  }
}

let source: CountingClock;
let clock: Clock;
beforeEach(() => {
  source = new CountingClock();
  clock = coarseClock(source);
});

describe("a coarse clock under fake timers", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  it("reads its source in the first call, and in every 16th call after it", () => {
    for (let call = 0; call < 100; call += 1) {
      source.nowMs += 0.25;
      const isRead = call % CALLS_PER_READ === 0;
      expect(clock.now()).toBe(isRead ? source.nowMs : source.nowMs - 0.25 * (call % CALLS_PER_READ));
      expect(source.reads).toBe(1 + Math.floor(call / CALLS_PER_READ));
    }
  });

  it("reads again after a millisecond, however few calls came", () => {
    for (let tick = 1; tick <= 20; tick += 1) {
      source.nowMs += 1;
      expect([clock.now(), clock.now()]).toEqual([source.nowMs, source.nowMs]);
      expect(source.reads).toBe(tick);
      vi.advanceTimersByTime(1);
    }
  });

  it("has no timer before its first call, one timer during calls, and none a millisecond after the last call", () => {
    expect(vi.getTimerCount()).toBe(0);
    for (let call = 0; call < 1_000; call += 1) clock.now();
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(vi.getTimerCount()).toBe(0);
    expect(source.reads).toBe(Math.ceil(1_000 / CALLS_PER_READ));
  });

  it("sets another timer after a runtime stopped the first one with its request", () => {
    clock.now();
    vi.clearAllTimers();
    source.nowMs += 1_000;
    for (let call = 0; call < CALLS_PER_READ; call += 1) clock.now();
    expect(vi.getTimerCount()).toBe(1);
  });

  it("sets at most 11 timers in a long run without a turn of the event loop", () => {
    for (let call = 0; call < 10_000; call += 1) {
      source.nowMs += 1;
      clock.now();
    }
    expect(vi.getTimerCount()).toBeLessThanOrEqual(11);
    vi.advanceTimersByTime(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is late, never early, and goes back only with its source", () => {
    const step = fc.record({ laterMs: fc.double({ min: 0, max: 3, noNaN: true }), ticks: fc.nat({ max: 1 }) });
    const play = fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const ticking = new CountingClock();
      const coarse = coarseClock(ticking);
      let lastMs = Number.NEGATIVE_INFINITY;
      for (const { laterMs, ticks } of steps) {
        ticking.nowMs += laterMs;
        vi.advanceTimersByTime(ticks);
        const nowMs = coarse.now();
        expect(nowMs).toBeGreaterThanOrEqual(lastMs);
        expect(nowMs).toBeLessThanOrEqual(ticking.nowMs);
        lastMs = nowMs;
      }
    });
    fc.assert(play, { numRuns: 100, seed: 1 });
  });

  it.each([
    ["throws", Error],
    ["returns NaN", Number.NaN],
    ["returns undefined", undefined],
    ["returns a time out of reach", 1e300],
  ])("reads again after every reading that %s", (_how, failure) => {
    const limiter = createLimiter({ limits: [perSecond(1_000)], clock });
    for (let call = 0; call < CALLS_PER_READ; call += 1) expect(limiter.allow("a")).toBe(true);
    const failing = vi.spyOn(source, "now").mockImplementation(() => {
      if (failure === Error) throw new RangeError("no time");
      return failure as number;
    });
    for (let call = 1; call <= 3; call += 1) {
      expect(() => limiter.allow("a")).toThrow(failure === Error ? RangeError : /^clock\.now\(\): expected/);
      expect(failing).toHaveBeenCalledTimes(call);
    }
    source.nowMs += 5;
    failing.mockRestore();
    expect(clock.now()).toBe(START_MS + 5);
    expect(limiter.explain("a")[0]?.used).toBe(CALLS_PER_READ - 5);
  });

  it.each([null, {}, { now: START_MS }, START_MS, () => START_MS])("refuses the source %s", (bad) => {
    expect(() => coarseClock(bad as never)).toThrow(
      expect.objectContaining({
        code: "ERR_OPTION",
        message: expect.stringMatching(/^coarseClock: now: expected .+, got /),
      }),
    );
  });
});

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
  beforeEach(() => {
    vi.useFakeTimers();
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
