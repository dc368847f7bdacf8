import { createLimiter, memoryStore, type Observation, perMinute, perSecond, slidingWindow } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";

const START_MS = 1_790_000_000_123;

describe("the memory store", () => {
  it("keeps the counts of many keys while it grows", () => {
    const limiter = createLimiter({
      limits: [perMinute(3), slidingWindow({ limit: 2, window: "1m" })],
      clock: manualClock(START_MS),
    });
    for (let i = 0; i < 20_000; i += 1) limiter.allow(`key-${i}`, 1 + (i % 2));
    for (let i = 0; i < 20_000; i += 1) {
      const counts = limiter.explain(`key-${i}`).map(({ used }) => used);
      if (counts.some((count) => count !== 1 + (i % 2))) throw new Error(`key ${i}: ${counts}`);
    }
    expect(limiter.size).toBe(20_000);
  });

  it("stays in proportion to the keys in use as calls come in, without a timer", () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [perSecond(1)], clock });
    let most = 0;
    for (let i = 0; i < 200_000; i += 1) {
      limiter.allow(`client-${i}`);
      clock.advance(1);
      most = Math.max(most, limiter.size);
    }
    // A thousand keys are in use at any time.
    expect(most).toBeLessThan(2_500);
  });

  it("forgets a burst of keys while only old ones call", () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [perSecond(1)], clock });
    for (let i = 0; i < 50_000; i += 1) limiter.allow(`burst-${i}`);
    clock.advance(1_000);
    for (let i = 0; i < 60_000; i += 1) limiter.allow("steady");
    expect(limiter.size).toBe(1);
  });

  it("sweeps an idle limiter's keys while another of the store is busy, by the idle one's own clock", () => {
    const store = memoryStore();
    const idleClock = manualClock(START_MS);
    const idle = createLimiter({ name: "idle", limits: [perSecond(1)], clock: idleClock, store });
    const busy = createLimiter({ name: "busy", limits: [perSecond(1)], clock: manualClock(START_MS + 1e9), store });
    for (let i = 0; i < 1_000; i += 1) idle.allow(`idle-${i}`);
    for (let i = 0; i < 5_000; i += 1) busy.allow("a");
    expect(idle.size).toBe(1_000);
    idleClock.advance(1_000);
    for (let i = 0; i < 5_000; i += 1) busy.allow("a");
    expect(idle.size).toBe(0);
  });

  it("reports a stepwise sweep once, at its end", () => {
    const clock = manualClock(START_MS);
    const seen: Observation[] = [];
    const limiter = createLimiter({
      name: "api",
      limits: [perSecond(1)],
      clock,
      observe: (one) => void (one.type === "sweep" && seen.push(one)),
    });
    for (let i = 0; i < 1_000; i += 1) limiter.allow(`key-${i}`);
    // A whole sweep that finds nothing: the next pass begins at the end.
    expect(limiter.sweep()).toBe(0);
    clock.advance(1_000);
    for (let i = 0; i < 2_000; i += 1) limiter.allow("steady");
    expect(seen).toEqual([{ type: "sweep", limiter: "api", removed: 1_000, remaining: 1 }]);
  });

  it.each(["allow", "consume"] as const)(
    "drops no key that was not as good as new when the call came in: %s",
    (verb) => {
      // The step of the sweep reads the clock after the call did, and by then the bucket is full.
      const readsUs = { call: START_MS * 1_000, sweep: START_MS * 1_000 };
      let next: keyof typeof readsUs = "call";
      const now = () => {
        const us = readsUs[next];
        next = "sweep";
        return us / 1_000;
      };
      const limiter = createLimiter({ limits: [perSecond(2)], clock: { now } });
      const admitted = () => {
        next = "call";
        return verb === "allow" ? limiter.allow("a", 2) : limiter.consume("a", 2).allowed;
      };
      expect(admitted()).toBe(true);
      readsUs.call += 999_999;
      readsUs.sweep += 1_000_000;
      let calls = 0;
      for (; limiter.size > 0 && calls < 200; calls += 1) expect(admitted()).toBe(false);
      expect(calls).toBeGreaterThan(50);
      expect(limiter.size).toBe(0);
    },
  );

  it("gives memory back: the cells of a burst are not kept", async () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [slidingWindow({ limit: 64, window: "1s" })], clock });
    const before = arrayBuffersInUse();
    for (let i = 0; i < 20_000; i += 1) limiter.allow(`burst-${i}`);
    // 20,000 keys of 134 cells.
    expect(arrayBuffersInUse() - before).toBeGreaterThan(20e6);
    clock.advance(1_000);
    limiter.sweep();
    await vi.waitFor(() => expect(arrayBuffersInUse() - before).toBeLessThan(1e6));
    limiter.allow("a", 64);
    expect(limiter.allow("a")).toBe(false);
  });

  it("gives memory back after keys were reset, too", async () => {
    const limiter = createLimiter({
      limits: [slidingWindow({ limit: 64, window: "1s" })],
      clock: manualClock(START_MS),
    });
    const before = arrayBuffersInUse();
    for (let i = 0; i < 20_000; i += 1) limiter.allow(`burst-${i}`);
    for (let i = 0; i < 20_000; i += 1) limiter.reset(`burst-${i}`);
    expect(limiter.sweep()).toBe(0);
    await vi.waitFor(() => expect(arrayBuffersInUse() - before).toBeLessThan(1e6));
  });

  it("does not keep the text that a key was cut out of", async () => {
    const limiter = createLimiter({ limits: [perMinute(1)], clock: manualClock(START_MS) });
    const before = heapInUse();
    for (let i = 0; i < 100; i += 1) {
      const header = `client-number-${i}, ${String(i).repeat(1_000_000)}`;
      limiter.allow(header.slice(0, header.indexOf(",")));
    }
    expect(limiter.size).toBe(100);
    await vi.waitFor(() => expect(heapInUse() - before).toBeLessThan(20e6));
    expect(limiter.allow("client-number-7")).toBe(false);
  });

  it("has a limiter's keys when its table was let go, empty, and is needed again", () => {
    const clock = manualClock(START_MS);
    const store = memoryStore();
    const make = () => createLimiter({ name: "api", limits: [perSecond(2)], clock, store });
    const [one, other] = [make(), make()];
    const busy = createLimiter({ name: "busy", limits: [perSecond(1)], clock, store });
    one.allow("a", 2);
    clock.advance(1_000);
    for (let i = 0; i < 200; i += 1) busy.allow("b");
    expect([one.size, other.size]).toEqual([0, 0]);
    one.allow("a", 2);
    expect([other.allow("a"), other.size]).toEqual([false, 1]);
    other.reset("a");
    expect(one.allow("a", 2)).toBe(true);
  });

  it("passes over a limiter whose clock fails, and sweeps the others", () => {
    vi.useFakeTimers();
    try {
      const store = memoryStore({ sweepIntervalMs: 1_000 });
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
    } finally {
      vi.useRealTimers();
    }
  });

  it("sweeps by the earliest clock where limiters of different clocks share keys", () => {
    const store = memoryStore();
    const make = (startMs: number) =>
      createLimiter({ name: "api", limits: [perMinute(2)], clock: manualClock(startMs), store });
    const ahead = make(START_MS + 3_600_000);
    const limiter = make(START_MS);
    ahead.peek("a");
    const admitted = Array.from({ length: 500 }, () => limiter.allow("a")).filter(Boolean);
    expect(admitted).toHaveLength(2);
  });

  it("lets an observer of sweeps throw without harm to the caller, and insert keys meanwhile", () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({
      limits: [perSecond(1)],
      clock,
      observe: ({ type }) => {
        if (type !== "sweep") return;
        for (let i = 0; i < 5; i += 1) limiter.allow(`observer-${i}`);
        throw new RangeError("the log is full");
      },
    });
    limiter.allow("a");
    clock.advance(1_000);
    expect(limiter.sweep()).toBe(1);
    expect(limiter.size).toBe(5);
  });

  it("has its closed limiters hear of no more sweeps", () => {
    const clock = manualClock(START_MS);
    const store = memoryStore();
    const heard: string[] = [];
    const make = (who: string) =>
      createLimiter({
        name: "api",
        limits: [perSecond(1)],
        clock,
        store,
        observe: ({ type }) => void heard.push(`${who} ${type}`),
      });
    const [gone, stays] = [make("gone"), make("stays")];
    gone.close();
    stays.allow("a");
    clock.advance(1_000);
    stays.sweep();
    expect(heard).toEqual(["stays decision", "stays sweep"]);
  });

  it("loses no keys when an observer of a sweep calls another limiter", () => {
    const clock = manualClock(START_MS);
    const store = memoryStore();
    const other = createLimiter({ name: "other", limits: [perSecond(10)], clock, store });
    const short = createLimiter({
      name: "short",
      limits: [perSecond(10)],
      clock,
      store,
      observe: ({ type }) => {
        if (type !== "sweep") return;
        for (let i = 0; i < 70; i += 1) other.allow("m");
      },
    });
    const login = createLimiter({ name: "login", limits: [perMinute(5)], clock, store });
    for (let round = 0; round < 20; round += 1) {
      short.allow(`key-${round}`);
      login.allow("eve", 5);
      clock.advance(2_000);
      for (let i = 0; i < 130; i += 1) other.allow("n");
      expect(login.explain("eve")[0]?.used).toBe(5 - Math.floor(((round + 1) * 2) / 12));
    }
  });

  it("goes on sweeping other tables when keys are reset in the middle of a pass", () => {
    const clock = manualClock(START_MS);
    const store = memoryStore();
    const slow = createLimiter({ name: "slow", limits: [perMinute(1)], clock, store });
    const quick = createLimiter({ name: "quick", limits: [perSecond(1)], clock, store });
    for (let i = 0; i < 20_000; i += 1) slow.allow(`slow-${i}`);
    for (let i = 1; i < 20_000; i += 1) slow.reset(`slow-${i}`);
    let most = 0;
    for (let i = 0; i < 20_000; i += 1) {
      quick.allow(`quick-${i}`);
      clock.advance(10);
      most = Math.max(most, quick.size);
    }
    expect(most).toBeLessThan(300);
  });

  it("drops no key by a clock that is ahead of another limiter's", () => {
    const store = memoryStore();
    const make = (startMs: number) =>
      createLimiter({ name: "api", limits: [perMinute(1)], clock: manualClock(startMs), store });
    const [behind, ahead] = [make(START_MS), make(START_MS + 100_000)];
    behind.allow("a");
    expect(ahead.sweep()).toBe(0);
    expect(behind.allow("a")).toBe(false);
  });

  it("has a closed limiter hear of no more sweeps, though it goes on deciding", () => {
    const clock = manualClock(START_MS);
    const swept: string[] = [];
    const limiter = createLimiter({
      limits: [perSecond(1)],
      clock,
      observe: ({ type }) => void (type === "sweep" && swept.push(type)),
    });
    limiter.allow("a");
    limiter.close();
    for (let round = 0; round < 3; round += 1) {
      clock.advance(1_000);
      expect(limiter.sweep()).toBe(1);
      // So many calls that the empty table is let go, and made again for the next key.
      for (let i = 0; i < 200; i += 1) limiter.peek("b");
      limiter.allow("a");
    }
    expect(swept).toEqual([]);
  });

  it("does not grow by limiters that are made for a call, nor by looking", () => {
    const clock = manualClock(START_MS);
    const store = memoryStore();
    const before = heapInUse();
    for (let i = 0; i < 20_000; i += 1) {
      const limiter = createLimiter({ name: "api", limits: [perMinute(100_000)], clock, store });
      limiter.allow("a");
      expect(createLimiter({ name: `name-${i}`, limits: [perMinute(1)], clock, store }).size).toBe(0);
    }
    expect(heapInUse() - before).toBeLessThan(5e6);
  });

  it("can be used with `using`", () => {
    vi.useFakeTimers();
    try {
      {
        using store = memoryStore({ sweepIntervalMs: 1_000 });
        expect(store.kind).toBe("sync");
        expect(vi.getTimerCount()).toBe(1);
      }
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("sweeps in the background when told to, and stops when closed", () => {
    vi.useFakeTimers();
    try {
      const clock = manualClock(START_MS);
      const store = memoryStore({ sweepIntervalMs: 1_000 });
      const limiter = createLimiter({ limits: [perSecond(1)], clock, store });
      limiter.allow("a");
      clock.advance(1_000);
      vi.advanceTimersByTime(999);
      expect(limiter.size).toBe(1);
      vi.advanceTimersByTime(1);
      expect(limiter.size).toBe(0);
      store.close();
      limiter.allow("a");
      clock.advance(1_000);
      vi.advanceTimersByTime(10_000);
      expect(limiter.size).toBe(1);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([null, 5, "1s"])("refuses %s as its options", (options) => {
    expect(() => memoryStore(options as never)).toThrow(
      expect.objectContaining({
        code: "ERR_OPTION",
        message: expect.stringMatching(/^memoryStore: expected an object of options, got /),
      }),
    );
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 31, "1s", null])("refuses an interval of %s", (sweepIntervalMs) => {
    expect(() => memoryStore({ sweepIntervalMs: sweepIntervalMs as number })).toThrow(
      expect.objectContaining({
        code: "ERR_OPTION",
        message: expect.stringMatching(/^sweepIntervalMs: expected a whole number from 1 to 2147483647, got /),
      }),
    );
  });
});

function heapInUse(): number {
  arrayBuffersInUse();
  return process.memoryUsage().heapUsed;
}

/** Bytes of array buffers that something refers to; the collector may need a moment for the others. */
function arrayBuffersInUse(): number {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) throw new Error("run with --expose-gc");
  gc();
  return process.memoryUsage().arrayBuffers;
}
