import { createLimiter, memoryStore, perMinute, perSecond, tokenBucket } from "tollgate";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { START_MS } from "../../start-ms.ts";

describe("the sweep of a memory store", () => {
  it("sweeps an idle limiter's keys by that limiter's clock while another limiter is busy", () => {
    const store = memoryStore();
    const idleClock = manualClock(START_MS);
    const idle = createLimiter({ name: "idle", limits: [perSecond(1)], clock: idleClock, store });
    const busy = createLimiter({ name: "busy", limits: [perSecond(1)], clock: manualClock(START_MS + 1e9), store });
    for (let i = 0; i < 1_000; i += 1) idle.allow(`idle-${i}`);
    for (let i = 0; i < 5_000; i += 1) busy.allow("a");
    expect(idle.size).toBe(1_000);
    idleClock.advance(10_000);
    for (let i = 0; i < 5_000; i += 1) busy.allow("a");
    expect(idle.size).toBe(0);
  });

  it.each(["allow", "consume"] as const)("drops no key that was in use at the time of the call: %s", (verb) => {
    // The sweep step reads the clock after the call, and the bucket is full by then.
    const readsUs = { call: START_MS * 1_000, sweep: START_MS * 1_000 };
    let next: keyof typeof readsUs = "call";
    const now = () => {
      const us = readsUs[next];
      next = "sweep";
      return us / 1_000;
    };
    // A new table's first pass begins after an interval, 10 s.
    const limiter = createLimiter({ limits: [tokenBucket({ capacity: 2, refill: 2, per: "20s" })], clock: { now } });
    const admitted = () => {
      next = "call";
      return verb === "allow" ? limiter.allow("a", 2) : limiter.consume("a", 2).allowed;
    };
    expect(admitted()).toBe(true);
    readsUs.call += 19_999_999;
    readsUs.sweep += 20_000_000;
    let calls = 0;
    for (; limiter.size > 0 && calls < 200; calls += 1) expect(admitted()).toBe(false);
    expect(calls).toBeGreaterThan(50);
    expect(limiter.size).toBe(0);
  });

  it("skips a limiter whose clock throws, and sweeps the others", () => {
    vi.useFakeTimers();
    const store = memoryStore({ sweepInterval: "1s" });
    const clock = manualClock(START_MS);
    let failing = false;
    const now = () => (failing ? Number.NaN : START_MS);
    const broken = createLimiter({ name: "broken", limits: [perSecond(1)], clock: { now }, store });
    const sound = createLimiter({ name: "sound", limits: [perSecond(1)], clock, store });
    broken.allow("a");
    for (let i = 0; i < 100; i += 1) sound.allow(`key-${i}`);
    failing = true;
    clock.advance(1_000);
    for (let i = 0; i < 500; i += 1) sound.allow("steady");
    expect(sound.size).toBe(1);
    clock.advance(1_000);
    vi.advanceTimersByTime(1_000);
    expect([sound.size, broken.size]).toEqual([0, 1]);
    store.close();
  });

  it.each([
    ["memory", memoryStore()],
    ["table", tableStore({ maxKeys: 10 })],
  ])("drops no key by a clock that is ahead of another limiter's clock: %s", (_kind, store) => {
    const make = (startMs: number) =>
      createLimiter({ name: "api", limits: [perMinute(1)], clock: manualClock(startMs), store });
    const [behind, ahead] = [make(START_MS), make(START_MS + 100_000)];
    behind.allow("a");
    expect(ahead.sweep()).toBe(0);
    expect([behind.allow("a"), ahead.allow("a")]).toEqual([false, true]);
  });
});
