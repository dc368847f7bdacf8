import {
  createLimiter,
  fixedWindow,
  memoryStore,
  perDay,
  perMinute,
  perSecond,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { admitted, DAY_MS, HOUR_MS, START_MS, setUp } from "./set-up.ts";

describe("limits under a clock", () => {
  const LIMITS = [
    perSecond(5),
    perMinute(1_000_003, { burst: 5 }),
    tokenBucket({ capacity: 5, refill: 9, per: 0.001 }),
    slidingWindow({ limit: 5, window: "10s" }),
    fixedWindow({ limit: 5, window: "10s" }),
    fixedWindow({ limit: 5, window: "10s", anchor: "first-use" }),
  ];

  describe.each([
    ["0", 0],
    ["before the epoch", -1_000],
    ["2^32 µs", 2 ** 32 / 1_000],
    ["2^32 ms", 2 ** 32],
    ["2^41 ms − 1", 2 ** 41 - 1],
  ])("at %s", (_name, startMs) => {
    it.each(LIMITS)("admit exactly the capacity, and again after the wait that a denial names: $name", (limit) => {
      const clock = manualClock(startMs);
      const limiter = createLimiter({ limits: [limit], clock });
      expect(admitted(limiter, 8)).toBe(5);
      const denied = limiter.peek("a", 5);
      expect(denied.allowed).toBe(false);
      if (!denied.allowed) clock.advance(denied.retryAfterMs);
      expect(admitted(limiter, 8)).toBe(5);
    });
  });

  it.each(LIMITS)("set back an hour and forward again admit no unit twice: $name", (limit) => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [limit], clock });
    admitted(limiter, 5);
    clock.advance(-HOUR_MS);
    expect(admitted(limiter, 5)).toBe(0);
    clock.advance(HOUR_MS);
    expect(admitted(limiter, 5)).toBe(0);
    clock.advance(10_000);
    expect(admitted(limiter, 8)).toBe(5);
  });

  it.each(LIMITS)("set back an hour admit new keys, and an old key waits no longer than the jump: $name", (limit) => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [limit], clock });
    admitted(limiter, 5);
    clock.advance(-HOUR_MS);
    expect(admitted(limiter, 8, "new")).toBe(5);
    const denied = limiter.peek("a");
    expect(denied.allowed ? 0 : denied.retryAfterMs).toBeLessThanOrEqual(HOUR_MS + 10_000);
  });

  it.each([
    [0, 2 ** 41 - 1],
    [2 ** 41 - 1, 0],
    [0, START_MS],
  ])("that jumps by decades, from %d to %d, keep every count exact", (fromMs, toMs) => {
    const clock = manualClock(fromMs);
    const slow = perSecond(5, { name: "slow" });
    const limiter = createLimiter({ limits: [slow, tokenBucket({ capacity: 100, refill: 9, per: 0.001 })], clock });
    admitted(limiter, 3, "before");
    clock.set(toMs);
    expect(admitted(limiter, 8, "after")).toBe(5);
    expect(admitted(limiter, 8, "before")).toBe(toMs > fromMs ? 5 : 0);
    clock.set(fromMs);
    expect(limiter.explain("before")[0]?.used).toBeGreaterThanOrEqual(toMs > fromMs ? 5 : 3);
  });

  it.each([perSecond(9), perSecond(7), perSecond(11), tokenBucket({ capacity: 99, refill: 9, per: "10ms" })])(
    "that jumps to the epoch and back admit no unit twice: $name",
    (limit) => {
      const clock = manualClock(START_MS);
      const limiter = createLimiter({ limits: [limit], clock });
      limiter.allow("a", limit.capacity);
      for (const jumpMs of [0, 2 ** 41 - 1, 0]) {
        clock.set(jumpMs);
        limiter.allow("other");
      }
      expect(limiter.allow("a")).toBe(false);
      clock.set(START_MS);
      expect(limiter.allow("a")).toBe(false);
    },
  );

  it("that jumps by decades leave an untouched limit full", () => {
    const { clock, limiter } = setUp([perSecond(9), perSecond(9, { unit: "tokens" })]);
    limiter.allow("a", { requests: 9 });
    for (const jumpMs of [0, 2 ** 41 - 1, 0, START_MS]) {
      clock.set(jumpMs);
      expect(limiter.explain("a")[1]?.used).toBe(0);
    }
    expect(limiter.explain("a")[0]?.used).toBe(9);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1e300, "5", null, true, [7], undefined])(
    "that returns %s throw, and count nothing",
    (time) => {
      let now: unknown = START_MS;
      const limiter = createLimiter({ limits: [perSecond(5)], clock: { now: () => now as number } });
      limiter.allow("a");
      now = time;
      expect(() => limiter.allow("a")).toThrow(
        expect.objectContaining({
          code: "ERR_CLOCK",
          message: expect.stringMatching(/^clock.now\(\): expected milliseconds .+, got /),
        }),
      );
      now = START_MS;
      expect(limiter.explain("a")[0]?.used).toBe(1);
    },
  );

  it.each([slidingWindow({ limit: 5, window: "1d" }), fixedWindow({ limit: 5, window: "1d", anchor: "first-use" })])(
    "are exactly full for a key that was idle for ten years: $name",
    (limit) => {
      const { clock, limiter } = setUp([limit]);
      admitted(limiter, 5);
      clock.advance(3_652 * DAY_MS);
      expect(admitted(limiter, 8)).toBe(5);
    },
  );

  it("of the system, which is the default, admit exactly the capacity", () => {
    const limiter = createLimiter({ limits: [perDay(5)], store: memoryStore() });
    expect(admitted(limiter, 5)).toBe(5);
    expect(limiter.allow("a")).toBe(false);
  });
});
