import {
  createLimiter,
  fixedWindow,
  memoryStore,
  type Observation,
  perMinute,
  perSecond,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";

const START_MS = 1_790_000_000_123;
const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;

/** How many of `count` calls in a row are admitted. */
const admitted = (limiter: { allow(key: string): boolean }, count: number, key = "a") =>
  Array.from({ length: count }, () => limiter.allow(key)).filter(Boolean).length;

describe("a bucket of 5", () => {
  const five = () => {
    const clock = manualClock(START_MS);
    return { clock, limiter: createLimiter({ limits: [perSecond(5)], clock }) };
  };

  it("passes 5 and denies the 6th", () => {
    const { limiter } = five();
    expect(Array.from({ length: 6 }, () => limiter.allow("a"))).toEqual([true, true, true, true, true, false]);
  });

  it("passes exactly one more after the time of one unit", () => {
    const { clock, limiter } = five();
    admitted(limiter, 6);
    clock.advance(200);
    expect(admitted(limiter, 5)).toBe(1);
  });

  it("passes exactly 5 of 20 concurrent calls", async () => {
    const { limiter } = five();
    const answers = await Promise.all(Array.from({ length: 20 }, async () => limiter.allow("a")));
    expect(answers.filter(Boolean)).toHaveLength(5);
  });

  it("leaves client B alone when A is exhausted", () => {
    const { limiter } = five();
    admitted(limiter, 6, "A");
    expect(admitted(limiter, 6, "B")).toBe(5);
  });
});

describe("over time", () => {
  it("idle keys are cleaned up and reported", () => {
    const clock = manualClock(START_MS);
    const observed: Observation[] = [];
    const limiter = createLimiter({ name: "api", limits: [perSecond(5)], clock, observe: (one) => observed.push(one) });
    for (let i = 0; i < 10; i += 1) limiter.allow(`idle-${i}`);
    clock.advance(100);
    limiter.allow("busy", 5);
    clock.advance(100);
    expect(limiter.sweep()).toBe(10);
    expect(limiter.size).toBe(1);
    expect(observed.filter(({ type }) => type === "sweep")).toEqual([
      { type: "sweep", limiter: "api", removed: 10, remaining: 1 },
    ]);
  });

  it("the trace at capacity 10, 1 per second", () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [tokenBucket({ capacity: 10, refill: 1, per: "1s" })], clock });
    expect(admitted(limiter, 3)).toBe(3);
    expect(limiter.peek("a", 0).remaining).toBe(7);
    clock.advance(SECOND_MS);
    expect(limiter.peek("a", 0).remaining).toBe(8);
    expect(Array.from({ length: 9 }, () => limiter.allow("a"))).toEqual([...Array<boolean>(8).fill(true), false]);
    clock.advance(SECOND_MS);
    expect(limiter.consume("a")).toMatchObject({ allowed: true, remaining: 0 });
    expect(limiter.allow("a")).toBe(false);
  });

  it.each([perSecond(10), perMinute(7, { burst: 3 }), tokenBucket({ capacity: 13, refill: 11, per: "17s" })])(
    "at twice the rate for an hour, half is denied, within one capacity: $name",
    (limit) => {
      const clock = manualClock(START_MS);
      const limiter = createLimiter({ limits: [limit], clock });
      const perHour = (HOUR_MS / limit.perMs) * limit.refill;
      const calls = Math.floor(2 * perHour);
      const gapMs = HOUR_MS / calls;
      let passed = 0;
      for (let i = 0; i < calls; i += 1) {
        clock.set(START_MS + i * gapMs);
        if (limiter.allow("a")) passed += 1;
      }
      expect(passed).toBeGreaterThanOrEqual(Math.floor(perHour));
      expect(passed).toBeLessThanOrEqual(Math.ceil(perHour) + limit.capacity);
    },
  );

  it.each([1, 2, 3, 7, 9, 10, 11, 97, 1_000, 1_003])("drained, %d units are back after N/rate", (units) => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [perSecond(1_003)], clock });
    limiter.allow("a", 1_003);
    clock.advance(Math.ceil((units / 1_003) * 1_000_000) / 1_000);
    expect(admitted(limiter, units + 3)).toBe(units);
  });

  it("one unit per 60 s polled every 100 ms is granted on time, again and again", () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [perMinute(1)], clock });
    const grantedAtMs: number[] = [];
    for (let ms = 0; ms <= 300_000; ms += 100) {
      clock.set(START_MS + ms);
      if (limiter.allow("a")) grantedAtMs.push(ms);
    }
    expect(grantedAtMs).toEqual([0, 60_000, 120_000, 180_000, 240_000, 300_000]);
  });

  it.each([
    perSecond(5),
    slidingWindow({ limit: 5, window: "1d" }),
    fixedWindow({ limit: 5, window: "1d", anchor: "first-use" }),
  ])("a key idle for ten years is exactly full: $name", (limit) => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [limit], clock });
    admitted(limiter, 5);
    clock.advance(3_652 * DAY_MS);
    expect(admitted(limiter, 8)).toBe(5);
  });
});

describe("clocks", () => {
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
    it.each(LIMITS)("admit exactly the capacity, and again when they say: $name", (limit) => {
      const clock = manualClock(startMs);
      const limiter = createLimiter({ limits: [limit], clock });
      expect(admitted(limiter, 8)).toBe(5);
      const denied = limiter.peek("a", 5);
      expect(denied.allowed).toBe(false);
      if (!denied.allowed) clock.advance(denied.retryAfterMs);
      expect(admitted(limiter, 8)).toBe(5);
    });
  });

  it.each(LIMITS)("that stand still grant nothing: $name", (limit) => {
    const limiter = createLimiter({ limits: [limit], clock: manualClock(START_MS) });
    expect(admitted(limiter, 1_000)).toBe(5);
  });

  it.each(LIMITS)("set back an hour and forward again grant nothing twice: $name", (limit) => {
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

  it.each(LIMITS)("set back an hour let new keys in, and nobody waits longer than the jump: $name", (limit) => {
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
  ])("that jump by decades, from %d to %d, keep every count exact", (fromMs, toMs) => {
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
    "that jump back to the epoch and return grant nothing twice: $name",
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

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1e300, "5", null, true, [7], undefined])(
    "that say %s are refused, and nothing is counted",
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

  it("are the system's by default, and that one never goes back", () => {
    const limiter = createLimiter({ limits: [perSecond(5)], store: memoryStore() });
    expect(admitted(limiter, 5)).toBe(5);
    expect(limiter.allow("a")).toBe(false);
  });
});

describe("sliding window", () => {
  it("limit 5, resolution 10 ms: charge 3, then 4 twenty ms later", () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [slidingWindow({ limit: 5, window: "1s", resolution: "10ms" })], clock });
    expect(limiter.charge("a", 3)).toMatchObject({ allowed: true, remaining: 2 });
    clock.advance(20);
    // The charge itself could be repeated only when both groups have left; one unit as soon as the first has.
    expect(limiter.charge("a", 4)).toMatchObject({ allowed: false, retryAfterMs: 1_000, usedAfterRetry: 0 });
    expect(limiter.consume("a")).toMatchObject({
      allowed: false,
      reason: "exhausted",
      retryAfterMs: 980,
      usedAfterRetry: 4,
    });
  });

  it("units within one resolution leave together, with the last of them", () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [slidingWindow({ limit: 4, window: "1s", resolution: "10ms" })], clock });
    for (const afterMs of [0, 5, 4, 1]) {
      clock.advance(afterMs);
      limiter.allow("a");
    }
    clock.advance(998);
    expect(limiter.explain("a")[0]?.used).toBe(4);
    clock.advance(1);
    expect(limiter.explain("a")[0]?.used).toBe(1);
  });

  it("at exactly the limit the next is denied", () => {
    const limiter = createLimiter({
      limits: [slidingWindow({ limit: 5, window: "1s" })],
      clock: manualClock(START_MS),
    });
    expect(limiter.consume("a", 5)).toMatchObject({ allowed: true, remaining: 0 });
    expect(limiter.allow("a")).toBe(false);
  });

  it("counts on exactly when its totals near 2^53", () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [slidingWindow({ limit: 5, window: "1s" })], clock });
    for (let i = 0; i < 6; i += 1) {
      limiter.charge("a", 2 ** 52);
      clock.advance(2_000);
      expect(admitted(limiter, 8)).toBe(5);
      expect(limiter.explain("a")[0]?.used).toBe(5);
    }
    limiter.charge("a", Number.MAX_SAFE_INTEGER);
    limiter.charge("a", Number.MAX_SAFE_INTEGER);
    expect(limiter.explain("a")[0]?.used).toBe(Number.MAX_SAFE_INTEGER);
    clock.advance(1_000);
    expect(admitted(limiter, 8)).toBe(5);
  });

  it("calls that are taken back leave nothing behind", () => {
    const limits = [slidingWindow({ limit: 2, window: "1s" })];
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits, clock });
    for (let i = 0; i < 1_000; i += 1) {
      const key = `key-${i % 3}`;
      for (let taken = 0; taken < 3; taken += 1) {
        if (limiter.allow(key)) limiter.refund(key, 1);
        clock.advance(1);
      }
      const fresh = createLimiter({ limits, clock });
      expect(limiter.peek(key)).toEqual(fresh.peek(key));
    }
    // Offered exactly its rate, with as many calls taken back as kept, it admits every one that is kept.
    let kept = 0;
    for (let i = 0; i < 200; i += 1) {
      if (limiter.allow("steady")) kept += 1;
      clock.advance(250);
      if (limiter.allow("steady")) limiter.refund("steady", 1);
      clock.advance(250);
    }
    expect(kept).toBe(200);
  });

  it("a ring that is full merges into its newest group, and never admits more", () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [slidingWindow({ limit: 3, window: "1s" })], clock });
    for (let i = 0; i < 20; i += 1) {
      limiter.charge("a", 1);
      clock.advance(10);
    }
    expect(limiter.explain("a")[0]?.used).toBe(20);
    clock.advance(990);
    expect(limiter.allow("a")).toBe(true);
    expect(limiter.explain("a")[0]?.used).toBe(1);
  });
});
