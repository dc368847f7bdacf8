import {
  combine,
  createLimiter,
  fixedWindow,
  perDay,
  perMinute,
  perSecond,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { NOW_MS } from "../kit/exhausted-limiter.ts";
import { useRedis } from "../kit/use-redis.ts";

const inUse = useRedis();

describe("a cached denial applies to its own limits only", () => {
  it("a cached denial does not apply to a limiter of the same name with the limit in shadow mode", async () => {
    const { redis } = inUse;
    const clock = manualClock(NOW_MS);
    const store = redis.storeByClock();
    const enforcing = createLimiter({ name: "api", limits: [perMinute(1)], clock, store });
    const shadow = createLimiter({ name: "api", limits: [perMinute(1, { mode: "shadow" })], clock, store });
    expect(await enforcing.allow("ann")).toBe(true);
    expect(await enforcing.allow("ann")).toBe(false);
    expect(await shadow.allow("ann")).toBe(true);
    expect((await shadow.consume("ann")).allowed).toBe(true);
  });

  it("a cached denial does not apply to a limiter of the same name with another clock", async () => {
    const { redis } = inUse;
    const store = redis.store();
    const [slow, fast] = [manualClock(NOW_MS), manualClock(NOW_MS + 5_000)];
    const limits = [tokenBucket({ capacity: 1, refill: 1, per: "50ms" })];
    const behind = createLimiter({ name: "api", limits, clock: slow, store });
    const ahead = createLimiter({ name: "api", limits, clock: fast, store });
    await ahead.allow("ann");
    while (await ahead.allow("ann"));
    // By the first clock the denial is in the future, by the second it has ended.
    slow.advance(5_010);
    fast.advance(60);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await behind.allow("ann")).toBe(true);
  });
});

describe("combinations and limits functions", () => {
  it("a combination reaches the server as a whole", async () => {
    const { redis } = inUse;
    const clock = manualClock(NOW_MS);
    const store = redis.storeByClock();
    const api = createLimiter({ name: "api", limits: [perSecond(1)], clock, store });
    const both = combine(api, createLimiter({ name: "day", limits: [perDay(5)], clock, store }));
    await both.allow("ann");
    expect(await both.allow("ann")).toBe(false);
    expect(await redis.callsOf(async () => expect(await both.allow("ann")).toBe(false))).toBe(1);
    expect(await api.allow("ann")).toBe(false);
    expect(await redis.callsOf(async () => expect(await both.consume("ann")).toMatchObject({ allowed: false }))).toBe(
      1,
    );
    await both.refund("ann", 1);
    expect(await api.allow("ann")).toBe(true);
  });
});

describe("the figures of a cached denial", () => {
  it.each([
    ["a sliding window", () => slidingWindow({ limit: 3, window: "1s" })],
    ["a bucket with an odd rate", () => tokenBucket({ capacity: 3, refill: 7, per: "1s" })],
  ])("consume reaches the server for its figures under %s, allow does not", async (_name, limit) => {
    const { redis } = inUse;
    const limiter = createLimiter({
      name: "api",
      limits: [limit(), fixedWindow({ limit: 100, window: "1d" })],
      clock: manualClock(NOW_MS),
      store: redis.storeByClock(),
    });
    await limiter.allow("ann", 3);
    await limiter.consume("ann");
    expect(await redis.callsOf(() => limiter.allow("ann"))).toBe(0);
    expect(await redis.callsOf(() => limiter.consume("ann"))).toBe(1);
  });

  it("while a key is blocked, counts under other numbers come back at those numbers' rate", async () => {
    const clock = manualClock(NOW_MS);
    const store = inUse.redis.storeByClock();
    const fast = tokenBucket({ name: "calls", capacity: 2, refill: 1, per: "100ms", blockFor: "500ms" });
    const slow = tokenBucket({ name: "calls", capacity: 4, refill: 1, per: "1s" });
    const before = createLimiter({ name: "api", limits: [fast], clock, store });
    const after = createLimiter({ name: "api", limits: [slow], clock, store });
    await before.allow("ann", 2);
    await before.allow("ann");
    const waits: number[] = [];
    for (const afterMs of [0, 150]) {
      clock.advance(afterMs);
      const { retryAfterMs } = await after.peek("ann", 4);
      expect(await after.consume("ann", 4)).toMatchObject({ reason: "blocked", retryAfterMs });
      waits.push(retryAfterMs);
    }
    expect(waits.map(Math.round)).toEqual([2_000, 500]);
    expect(await inUse.redis.callsOf(() => after.allow("ann"))).toBe(0);
  });
});
