import { createLimiter, perSecond, systemClock } from "tollgate";
import { describe, expect, it, vi } from "vitest";

describe("the system's clock", () => {
  it("is within a minute of the wall time", () => {
    // It ignores corrections of the wall time since the process began.
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(60_000);
  });

  it("never goes back", () => {
    const readings = Array.from({ length: 100_000 }, () => systemClock.now());
    expect(readings.filter((nowMs, call) => nowMs < (readings[call - 1] ?? nowMs))).toEqual([]);
  });

  it("follows fake timers, and is real again after them", () => {
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
