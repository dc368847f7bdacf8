import { createLimiter, type Limit, type OnChange, perDay, perMinute, slidingWindow, tokenBucket } from "tollgate";
import type { RedisStore } from "tollgate/redis";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { freshPrefix, useRedis } from "../kit/use-redis.ts";
import { processes } from "./kit/processes.ts";

const inUse = useRedis();
const NOW_MS = 1_790_000_000_000;

const day = (capacity: number) => perDay(capacity, { name: "calls" });

describe("the first numbers of a key", () => {
  const keepFirst = (store: RedisStore, limits: readonly Limit[], clock = manualClock(NOW_MS)) =>
    createLimiter({ name: "api", limits, store, clock, onChange: "keep-first" });

  it("they hold until a reset, and decisions say so", async () => {
    const [one, other] = processes(inUse.redis);
    const small = keepFirst(one, [day(10)]);
    const large = keepFirst(other, [day(15)]);
    expect(await small.consume("ann", 10)).toMatchObject({ allowed: true, remaining: 0 });
    // Once asked, once from the cache of denials.
    for (const _ of [1, 2]) {
      expect(await large.consume("ann")).toMatchObject({ allowed: false, limit: day(10), limits: [day(10)] });
    }
    expect(await large.explain("ann")).toMatchObject([{ capacity: 10, used: 10 }]);
    await large.reset("ann");
    expect(await large.consume("ann", 4)).toMatchObject({ allowed: true, remaining: 11, limit: day(15) });
    expect(await small.consume("ann")).toMatchObject({ allowed: true, remaining: 10, limit: day(15) });
  });

  it("they hold until the key is idle", async () => {
    const prefix = freshPrefix();
    const clock = manualClock(NOW_MS);
    const [one, other] = [0, 1].map(() => inUse.redis.storeByClock({ prefix }));
    const bucket = (capacity: number) => tokenBucket({ name: "calls", capacity, refill: 1, per: "1s" });
    await keepFirst(one!, [bucket(3)], clock).consume("ann", 3);
    const large = keepFirst(other!, [bucket(9)], clock);
    clock.advance(2_999);
    expect(await large.consume("ann", 4)).toMatchObject({ allowed: false, limit: bucket(3) });
    clock.advance(1);
    expect(await large.consume("ann", 4)).toMatchObject({ allowed: true, limit: bucket(9), remaining: 5 });
  });

  it("a limit that is new joins them, in its own mode", async () => {
    const [one, other] = processes(inUse.redis);
    await keepFirst(one, [day(10)]).consume("ann", 4);
    const shadow = perDay(20, { name: "calls", mode: "shadow" });
    const both = keepFirst(other, [shadow, perMinute(5, { name: "burst" })]);
    const { limits } = await both.consume("ann");
    expect(limits.map(({ name, capacity, mode }) => [name, capacity, mode])).toEqual([
      ["calls", 10, "shadow"],
      ["burst", 5, "enforce"],
    ]);
    expect(await both.explain("ann")).toMatchObject([{ used: 5 }, { used: 1 }]);
  });
});

describe("lists of limits", () => {
  it.each<OnChange>(["carry-over", "keep-first"])("a limit that one list lacks stays counted: %s", async (onChange) => {
    const [one, other] = processes(inUse.redis);
    const limits = [day(10), perMinute(5, { name: "burst" })];
    const both = createLimiter({ name: "api", limits, store: one, onChange });
    const only = createLimiter({ name: "api", limits: [day(12)], store: other, onChange });
    await both.consume("ann", 3);
    await only.consume("ann", 3);
    expect(await both.explain("ann")).toMatchObject([{ used: 6 }, { used: 3 }]);
    await both.consume("ann", 2);
    await only.charge("ann", 3);
    await only.refund("ann", 1);
    expect(await both.explain("ann")).toMatchObject([{ used: 10 }, { used: 5 }]);
    expect(await only.size()).toBe(1);
  });

  it("a list and a function that chooses its limits count the same", async () => {
    const [one, other] = processes(inUse.redis);
    const limits = [day(10), slidingWindow({ limit: 8, window: "1h", name: "hour" })];
    const fixedList = createLimiter({ name: "api", limits, store: one });
    const chosen = createLimiter({ name: "api", limits: () => limits, store: other });
    await fixedList.consume("ann", 3);
    expect(await chosen.consume("ann", 2)).toMatchObject({ allowed: true, remaining: 3 });
    expect(await fixedList.explain("ann")).toMatchObject([{ used: 5 }, { used: 5 }]);
    expect([await chosen.size(), await fixedList.size()]).toEqual([1, 1]);
    await chosen.reset("ann");
    expect(await fixedList.size()).toBe(0);
  });

  it("a function may choose other numbers at every call", async () => {
    const [store] = processes(inUse.redis);
    let capacity = 10;
    const limiter = createLimiter({ name: "api", limits: () => [day(capacity)], store });
    let admitted = 0;
    for (let i = 0; i < 40; i += 1) {
      capacity = 10 + (i % 3) * 5;
      if (await limiter.allow("ann")) admitted += 1;
    }
    expect(admitted).toBe(20);
  });
});
