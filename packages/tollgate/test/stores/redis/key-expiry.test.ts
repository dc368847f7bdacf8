import {
  type AsyncLimiter,
  createLimiter,
  fixedWindow,
  type Limit,
  perDay,
  perHour,
  perSecond,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import type { RedisStore } from "tollgate/redis";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { freshPrefix, useRedis } from "./kit/use-redis.ts";
import { Random } from "./script/kit/random.ts";

const inUse = useRedis();
const NOW_MS = 1_790_000_000_000;
const IDLE_MS = 5_000;
const KEYS = ["ann", "bob", "cid"];

const LISTS: Readonly<Record<string, readonly Limit[]>> = {
  bucket: [perHour(20)],
  buckets: [perDay(40), perHour(20)],
  odd: [tokenBucket({ capacity: 30, refill: 7, per: "3h" })],
  several: [perDay(40), slidingWindow({ limit: 30, window: "1h" }), perHour(25, { mode: "shadow" })],
  ring: [slidingWindow({ limit: 100, window: "2h", resolution: "1s" })],
  clock: [fixedWindow({ limit: 20, window: "100d" })],
  first: [fixedWindow({ limit: 20, window: "1h", anchor: "first-use" })],
  fast: [perSecond(1_000)],
};
const EMPTY = [tokenBucket({ capacity: 20, refill: 20, per: "1h", initial: "empty", idleTtl: IDLE_MS }), perDay(50)];

/** Random verbs that may write, many of them concurrently. */
async function useAll(limiters: readonly AsyncLimiter[], random: Random, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    const calls = Array.from({ length: 30 }, () => use(random.of(limiters), random.of(KEYS), random));
    await Promise.all(calls);
  }
}

function use(limiter: AsyncLimiter, key: string, random: Random): Promise<unknown> {
  const cost = random.between(0, 8);
  const uses: readonly (() => Promise<unknown>)[] = [
    () => limiter.allow(key, cost),
    () => limiter.consume(key, cost),
    () => limiter.charge(key, cost),
    () => limiter.refund(key, cost),
    () => limiter.peek(key, cost),
    () => limiter.explain(key, cost),
    () => limiter.allowMany([key, key, "dan"], new Uint8Array(3), cost),
  ];
  return random.chance(0.03) ? limiter.reset(key) : random.of(uses)();
}

function limitersOf(store: RedisStore, clock = manualClock(NOW_MS)): AsyncLimiter[] {
  return Object.entries(LISTS).map(([name, limits]) => createLimiter({ name, limits, store, clock }));
}

/** Milliseconds until a key is idle. */
async function resetMsOf(limiter: AsyncLimiter, key: string): Promise<number> {
  return Math.max(...(await limiter.explain(key)).map(({ resetMs }) => resetMs));
}

/** When each key of a limiter expires, in milliseconds of the server's clock, by user key; -1 for never. */
async function expiriesOf(prefix: string, limiter: AsyncLimiter): Promise<ReadonlyMap<string, number>> {
  const { redis } = inUse;
  const names = await redis.client.keys(`${prefix}:${limiter.name}:*`);
  const expiries = await Promise.all(
    names.map(async (name) => {
      const key = name.slice(name.indexOf("{") + 1, -1);
      return [key, Number(await redis.command("PEXPIRETIME", name))] as const;
    }),
  );
  return new Map(expiries);
}

async function serverMs(): Promise<number> {
  const [seconds, us] = (await inUse.redis.command("TIME")) as readonly string[];
  return Number(seconds) * 1_000 + Number(us) / 1_000;
}

describe("expiry by the server's clock", () => {
  it("a key expires when it is idle: never earlier, and at most a few milliseconds later", async () => {
    const prefix = freshPrefix();
    const limiters = limitersOf(inUse.redis.store({ prefix }));
    await useAll(limiters, new Random(1), 10);
    let keys = 0;
    for (const limiter of limiters) {
      for (const [key, expiresMs] of await expiriesOf(prefix, limiter)) {
        const before = await serverMs();
        const resetMs = await resetMsOf(limiter, key);
        const after = await serverMs();
        expect(expiresMs).toBeGreaterThanOrEqual(Math.floor(before + resetMs));
        expect(expiresMs).toBeLessThanOrEqual(after + resetMs + 1);
        keys += 1;
      }
    }
    expect(keys).toBeGreaterThan(18);
  });

  it("a key with a bucket that starts empty expires an idle time after it is full", async () => {
    const prefix = freshPrefix();
    const limiter = createLimiter({ name: "empty", limits: EMPTY, store: inUse.redis.store({ prefix }) });
    await useAll([limiter], new Random(2), 5);
    // The first call is denied.
    expect(await limiter.allow("eve")).toBe(false);
    const expiries = await expiriesOf(prefix, limiter);
    expect(expiries.size).toBe(5);
    for (const [key, expiresMs] of expiries) {
      const before = await serverMs();
      const resetMs = await resetMsOf(limiter, key);
      expect(expiresMs).toBeGreaterThanOrEqual(Math.floor(before + resetMs + IDLE_MS));
      expect(expiresMs).toBeLessThanOrEqual((await serverMs()) + resetMs + IDLE_MS + 1);
    }
  });
});

describe("a single take", () => {
  it("a single take expires to the millisecond", async () => {
    const prefix = freshPrefix();
    const limiters = limitersOf(inUse.redis.store({ prefix }));
    // The key of this limiter is idle before it can be read.
    for (const limiter of limiters.filter(({ name }) => name !== "fast")) {
      for (const key of ["a", "b", "c", "d", "e"]) {
        expect(await limiter.allow(key)).toBe(true);
        const after = await serverMs();
        const resetMs = await resetMsOf(limiter, key);
        const last = await serverMs();
        const expiresMs = (await expiriesOf(prefix, limiter)).get(key) ?? Number.NaN;
        // The server's clock advances before explain reads it.
        expect(expiresMs).toBeGreaterThanOrEqual(Math.floor(after + resetMs));
        expect(expiresMs).toBeLessThanOrEqual(last + resetMs + 2);
      }
    }
  });
});

describe("every key expires", () => {
  it("every key has an expiry after random calls", async () => {
    const prefix = freshPrefix();
    const server = inUse.redis.store({ prefix });
    const empty = createLimiter({ name: "empty", limits: EMPTY, store: server });
    const plans = createLimiter({
      name: "plans",
      limits: (key) => (key === "ann" ? [perDay(5), perHour(3)] : [perDay(5)]),
      store: server,
    });
    await useAll([...limitersOf(server), empty, plans], new Random(4), 15);
    const names = await inUse.redis.client.keys(`${prefix}:*`);
    expect(names.length).toBeGreaterThan(20);
    const expiries = await Promise.all(names.map((name) => inUse.redis.command("PEXPIRETIME", name)));
    // Below -1 the key expired meanwhile.
    expect(expiries).not.toContain(-1);
  });
});
