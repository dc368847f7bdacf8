import { createLimiter, perSecond, systemClock } from "tollgate";
import { afterEach, describe, expect, it, vi } from "vitest";

describe("the system's clock", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("tells the wall time", () => {
    // It does not follow corrections of that since the process began.
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(60_000);
  });

  it("never goes back", () => {
    let latestMs = systemClock.now();
    for (let call = 0; call < 20_000; call += 1) {
      const nowMs = systemClock.now();
      expect(nowMs >= latestMs).toBe(true);
      latestMs = nowMs;
    }
  });

  it("is faked with the timers of a test, and real again after it", () => {
    const limiter = createLimiter({ limits: [perSecond(1)] });
    vi.useFakeTimers();
    const beforeMs = systemClock.now();
    expect([limiter.allow("ann"), limiter.allow("ann")]).toEqual([true, false]);
    vi.advanceTimersByTime(999);
    expect(limiter.allow("ann")).toBe(false);
    vi.advanceTimersByTime(1);
    expect(limiter.allow("ann")).toBe(true);
    expect(systemClock.now()).toBe(beforeMs + 1_000);
    vi.useRealTimers();
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(60_000);
  });
});
