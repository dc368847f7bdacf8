import {
  createLimiter,
  fixedWindow,
  type Observation,
  perMinute,
  perSecond,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { admitted, DAY_MS, HOUR_MS, SECOND_MS, START_MS } from "./set-up.ts";

describe("a limiter over time", () => {
  it("sweeps idle keys and notifies its observer", () => {
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

  it("refills one unit a second at capacity 10", () => {
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
    "admits half of the calls at twice its rate for an hour, give or take one capacity: $name",
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

  it.each([1, 2, 3, 7, 9, 10, 11, 97, 1_000, 1_003])("has exactly %d units again after their refill time", (units) => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [perSecond(1_003)], clock });
    limiter.allow("a", 1_003);
    clock.advance(Math.ceil((units / 1_003) * 1_000_000) / 1_000);
    expect(admitted(limiter, units + 3)).toBe(units);
  });

  it("of one unit a minute admits on time when it is called every 100 ms", () => {
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
  ])("is exactly full for a key idle for ten years: $name", (limit) => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [limit], clock });
    admitted(limiter, 5);
    clock.advance(3_652 * DAY_MS);
    expect(admitted(limiter, 8)).toBe(5);
  });
});
