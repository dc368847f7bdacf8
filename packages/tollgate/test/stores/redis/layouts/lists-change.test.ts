import { createLimiter, type Limit, perDay, perMinute } from "tollgate";
import type { RedisStore } from "tollgate/redis";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { useRedis } from "../kit/use-redis.ts";
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
