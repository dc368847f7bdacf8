import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { type Clock, coarseClock, createLimiter, perSecond, systemClock } from "tollgate";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CALLS_PER_READ, CountingClock, START_MS } from "./counting-clock.ts";

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
  afterEach(() => {
    vi.useRealTimers();
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

  it("throws the error of its source, and reads again in the next call", () => {
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

  it("reads again after a timer could not be set", () => {
    const setTimer = vi.spyOn(globalThis, "setTimeout").mockImplementationOnce(() => {
      throw new RangeError("no timers here");
    });
    expect(() => clock.now()).toThrow(RangeError);
    source.nowMs += 5;
    expect(clock.now()).toBe(START_MS + 5);
    setTimer.mockRestore();
  });

  it("makes limiters refuse NaN until its source returns a time again", () => {
    const limiter = createLimiter({ limits: [perSecond(1)], clock });
    source.nowMs = Number.NaN;
    expect(() => limiter.allow("a")).toThrow(expect.objectContaining({ code: "ERR_CLOCK" }));
    source.nowMs = START_MS;
    vi.advanceTimersByTime(1);
    expect(limiter.allow("a")).toBe(true);
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

  it("reads the system's clock by default", () => {
    const before = systemClock.now();
    const nowMs = coarseClock().now();
    expect(nowMs).toBeGreaterThanOrEqual(before);
    expect(nowMs).toBeLessThanOrEqual(systemClock.now());
  });

  it("is frozen", () => {
    expect(Object.isFrozen(clock)).toBe(true);
  });
});
