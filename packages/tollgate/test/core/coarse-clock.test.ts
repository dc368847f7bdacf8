import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { type Clock, coarseClock, createLimiter, type Limit, perSecond, slidingWindow, systemClock } from "tollgate";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const START_MS = 1_790_000_000_123;
/** Calls that one reading may serve. */
const CALLS_PER_READ = 16;

/** A clock that counts how often it is asked. */
class Source implements Clock {
  nowMs = START_MS;
  reads = 0;

  now(): number {
    this.reads += 1;
    return this.nowMs;
  }
}

let source: Source;
let clock: Clock;
beforeEach(() => {
  source = new Source();
  clock = coarseClock(source);
});

describe("a coarse clock while no timer fires", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("reads its source in the first call, and in every 16th after it", () => {
    for (let call = 0; call < 100; call += 1) {
      source.nowMs += 0.25;
      const isRead = call % CALLS_PER_READ === 0;
      expect(clock.now()).toBe(isRead ? source.nowMs : source.nowMs - 0.25 * (call % CALLS_PER_READ));
      expect(source.reads).toBe(1 + Math.floor(call / CALLS_PER_READ));
    }
  });

  it("reads again when a millisecond is over, though hardly anybody asks", () => {
    for (let tick = 1; tick <= 20; tick += 1) {
      source.nowMs += 1;
      expect([clock.now(), clock.now()]).toEqual([source.nowMs, source.nowMs]);
      expect(source.reads).toBe(tick);
      vi.advanceTimersByTime(1);
    }
  });

  it("has no timer before it is asked, one while it is, and none when nobody asks any more", () => {
    expect(vi.getTimerCount()).toBe(0);
    for (let call = 0; call < 1_000; call += 1) clock.now();
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(vi.getTimerCount()).toBe(0);
    expect(source.reads).toBe(Math.ceil(1_000 / CALLS_PER_READ));
  });

  it("sets another timer when one was stopped with the request that set it", () => {
    clock.now();
    vi.clearAllTimers();
    source.nowMs += 1_000;
    for (let call = 0; call < CALLS_PER_READ; call += 1) clock.now();
    expect(vi.getTimerCount()).toBe(1);
  });

  it("piles no timers up in a long run", () => {
    for (let call = 0; call < 10_000; call += 1) {
      source.nowMs += 1;
      clock.now();
    }
    expect(vi.getTimerCount()).toBeLessThanOrEqual(11);
    vi.advanceTimersByTime(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is late, never early, and never goes back before its source does", () => {
    const step = fc.record({ laterMs: fc.double({ min: 0, max: 3, noNaN: true }), ticks: fc.nat({ max: 1 }) });
    const play = fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const ticking = new Source();
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

  it("goes back with its source at the next reading", () => {
    clock.now();
    source.nowMs -= 3_600_000;
    for (let call = 1; call < CALLS_PER_READ; call += 1) expect(clock.now()).toBe(START_MS);
    expect(clock.now()).toBe(START_MS - 3_600_000);
    source.nowMs += 1;
    vi.advanceTimersByTime(1);
    expect(clock.now()).toBe(START_MS - 3_600_000 + 1);
    vi.advanceTimersByTime(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("lets what its source throws reach the caller, and reads again in the next call", () => {
    const failing = vi.fn<() => number>().mockImplementationOnce(() => {
      throw new RangeError("no time");
    });
    const coarse = coarseClock({ now: failing.mockReturnValue(START_MS) });
    expect(() => coarse.now()).toThrow(RangeError);
    expect(coarse.now()).toBe(START_MS);
    expect(failing).toHaveBeenCalledTimes(2);
  });

  it.each([
    ["throws", Error],
    ["tells no number", Number.NaN],
    ["tells nothing", undefined],
    ["tells a time out of reach", 1e300],
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

  it("reads again where no timer can be set", () => {
    const setTimer = vi.spyOn(globalThis, "setTimeout").mockImplementationOnce(() => {
      throw new RangeError("no timers here");
    });
    expect(() => clock.now()).toThrow(RangeError);
    source.nowMs += 5;
    expect(clock.now()).toBe(START_MS + 5);
    setTimer.mockRestore();
  });

  it("makes limiters refuse what is no time, until the source tells one", () => {
    const limiter = createLimiter({ limits: [perSecond(1)], clock });
    source.nowMs = Number.NaN;
    expect(() => limiter.allow("a")).toThrow(expect.objectContaining({ code: "ERR_CLOCK" }));
    source.nowMs = START_MS;
    vi.advanceTimersByTime(1);
    expect(limiter.allow("a")).toBe(true);
  });

  it.each([null, {}, { now: START_MS }, START_MS, () => START_MS])("is refused for the source %s", (bad) => {
    expect(() => coarseClock(bad as never)).toThrow(
      expect.objectContaining({
        code: "ERR_OPTION",
        message: expect.stringMatching(/^coarseClock: now: expected .+, got /),
      }),
    );
  });
});

/** Admissions under a coarse clock that lags by `lagMs` at most: at what true times, and how late the clock was. */
function admissions(limits: readonly Limit[], stepsMs: readonly number[]) {
  const ticking = new Source();
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

  it("let a token bucket gain what it refills while the clock is late, and no more", () => {
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

  it("let a token bucket gain that much at once", () => {
    const limiter = createLimiter({ limits: [perSecond(1_000, { burst: 20 })], clock });
    limiter.allow("a", 0);
    source.nowMs += 7;
    for (let call = 1; call < CALLS_PER_READ; call += 1) limiter.allow("a", call === 1 ? 20 : 0);
    expect([limiter.allow("a", 7), limiter.allow("a")]).toEqual([true, false]);
  });

  it("let a window be as much shorter as the clock is late, and no more", () => {
    let most = 0;
    const play = fc.property(stepsMs, (steps) => {
      const { times, lagMs } = admissions([slidingWindow({ limit: BURST, window: WINDOW_MS })], steps);
      for (const fromMs of times) {
        const held = times.filter((ms) => ms >= fromMs && ms < fromMs + WINDOW_MS);
        most = Math.max(most, held.length);
        expect(held.filter((ms) => ms < fromMs + WINDOW_MS - lagMs).length).toBeLessThanOrEqual(BURST);
      }
    });
    fc.assert(play, { numRuns: 40, seed: 1 });
    expect(most).toBeGreaterThan(BURST);
  });
});

describe("a coarse clock in real time", () => {
  it("keeps no process alive", () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
    const before = timers();
    clock.now();
    expect(timers()).toBe(before);
  });

  it("reads again in nearly every turn of a millisecond", async () => {
    const readings = new Set<number>();
    const coarse = coarseClock();
    for (let turn = 0; turn < 64; turn += 1) {
      readings.add(coarse.now());
      await wait(1);
    }
    expect(readings.size).toBeGreaterThan(32);
  });

  it("goes by the system's clock unless told otherwise", async () => {
    const before = systemClock.now();
    const nowMs = coarseClock().now();
    expect(nowMs).toBeGreaterThanOrEqual(before);
    expect(nowMs).toBeLessThanOrEqual(systemClock.now());
  });

  it("cannot be changed", () => {
    expect(Object.isFrozen(clock)).toBe(true);
  });
});
