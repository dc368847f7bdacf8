import { Redis } from "ioredis";
import {
  type AsyncLimiter,
  combine,
  createLimiter,
  fixedWindow,
  type Limit,
  perDay,
  perMinute,
  slidingWindow,
  type TokenBucketOptions,
  tokenBucket,
} from "tollgate";
import type { RedisStore } from "tollgate/redis";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore, type StoreOptions } from "../kit/use-redis.ts";
import type { RedisServer } from "../servers/redis-server.ts";
import { startRedisHere } from "../servers/test-servers.ts";

interface Rejecting {
  readonly server: RedisServer;
  readonly store: RedisStore;
  readonly limiter: AsyncLimiter;
}

const LIMITS = {
  "a bucket": [perDay(3)],
  "two buckets": [perDay(3), perMinute(100)],
  "a window": [slidingWindow({ limit: 3, window: "1d" })],
} as const;

/** Ways to make a server reject writes, and the cause in decisions. */
const WAYS: readonly (readonly [
  name: string,
  cause: string,
  startRejecting: (server: RedisServer) => Promise<unknown>,
])[] = [
  ["no memory", "the server is out of memory", (server) => server.command("CONFIG", "SET", "maxmemory", "1")],
  ["a primary elsewhere", "the server is a replica", (server) => server.command("REPLICAOF", "127.0.0.1", "1")],
  [
    "too few replicas",
    "the primary has too few replicas",
    (server) => server.command("CONFIG", "SET", "min-replicas-to-write", "1"),
  ],
  [
    "a user without rights",
    "the server does not permit the command",
    (server) => server.command("ACL", "SETUSER", "default", "-set"),
  ],
];

async function start(limits: (typeof LIMITS)[keyof typeof LIMITS], options: StoreOptions = {}): Promise<Rejecting> {
  const server = await startRedisHere({ args: ["--replica-serve-stale-data", "yes"] });
  const client = new Redis(server.port, { enableReadyCheck: false });
  onTestFinished(() => client.disconnect());
  const store = openStore(client, { onFailure: "allow", denyCache: false, ...options });
  const limiter = createLimiter({ name: "api", limits, store });
  await limiter.consume("exhausted", 3);
  await limiter.consume("used", 1);
  return { server, store, limiter };
}

describe.each(WAYS)("a server that rejects writes, for %s,", (_way, cause, startRejecting) => {
  describe.each(Object.entries(LIMITS))("under %s", (_limits, limits) => {
    it("an exhausted key is denied by the server, and read-only figures are reported", async () => {
      const { server, store, limiter } = await start(limits);
      await startRejecting(server);
      for (let round = 0; round < 10; round += 1) {
        const [exhausted, fresh, other, peeked, explained] = await Promise.all([
          limiter.consume("exhausted"),
          limiter.consume(`new-${round}`),
          limiter.allow("exhausted"),
          limiter.peek("used"),
          limiter.explain("used"),
        ]);
        expect(exhausted).toMatchObject({ allowed: false, reason: "exhausted" });
        expect(exhausted).not.toHaveProperty("degraded");
        expect(other).toBe(false);
        expect(fresh).toMatchObject({ allowed: true, degraded: cause });
        expect(peeked).toMatchObject({ allowed: true, limitRemaining: 1 });
        expect(explained[0]).toMatchObject({ used: 1 });
      }
      expect(await limiter.consume("used")).toMatchObject({ degraded: cause });
      expect(store.breaker).toBe("closed");
    });
  });
});

it("a server that has memory again decides all calls", async () => {
  const { server, limiter } = await start(LIMITS["a bucket"]);
  await server.command("CONFIG", "SET", "maxmemory", "1");
  expect((await limiter.consume("new")).degraded).toBe("the server is out of memory");
  await server.command("CONFIG", "SET", "maxmemory", "0");
  expect(await limiter.consume("new")).toMatchObject({ allowed: true, remaining: 2 });
  expect(await limiter.consume("new")).not.toHaveProperty("degraded");
});

describe("an exhausted key stays denied where the denial would write:", () => {
  const bucket = (capacity: number, more: Pick<TokenBucketOptions, "blockFor"> = {}) =>
    tokenBucket({ name: "calls", capacity, refill: 1, per: "1h", ...more });
  const window = (limit: number) => fixedWindow({ name: "calls", limit, window: "1h" });
  const other = perDay(1_000, { name: "other" });
  const extending = bucket(10, { blockFor: { duration: "1h", extend: true } });

  it.each<[name: string, before: Limit[], after: Limit[], calls: number]>([
    ["a bucket with other numbers", [bucket(10)], [bucket(5)], 10],
    ["a window with other numbers", [window(10)], [window(5)], 10],
    ["a list that grows", [bucket(10)], [bucket(10), other], 10],
    ["a list that shrinks", [bucket(10), other], [bucket(10)], 10],
    ["a block that begins", [bucket(10, { blockFor: "1h" })], [bucket(10, { blockFor: "1h" })], 10],
    ["a block that extends", [extending], [extending], 12],
  ])("%s", async (_name, limits, after, calls) => {
    const { server, store } = await start(LIMITS["a bucket"]);
    const [first, then] = [limits, after].map((list) => createLimiter({ name: "changed", limits: list, store }));
    for (let call = 0; call < calls; call += 1) await first!.allow("ann");
    await server.command("CONFIG", "SET", "maxmemory", "1");
    for (let call = 0; call < 5; call += 1) {
      const [decision, fresh] = await Promise.all([then!.consume("ann"), then!.consume("new")]);
      expect(decision).toMatchObject({ allowed: false });
      expect(decision).not.toHaveProperty("degraded");
      expect(fresh).toMatchObject({ allowed: true, degraded: "the server is out of memory" });
    }
  });
});

it("a new key of a bucket that starts empty is decided by the policy: if it were not written, it would never fill", async () => {
  const { server, store } = await start(LIMITS["a bucket"]);
  const limits = [tokenBucket({ capacity: 10, refill: 1, per: "1h", initial: "empty", idleTtl: "1d" })];
  const limiter = createLimiter({ name: "empty", limits, store });
  const joint = combine(limiter, createLimiter({ name: "other", limits, store }));
  await server.command("CONFIG", "SET", "maxmemory", "1");
  expect(await limiter.consume("new")).toMatchObject({ allowed: true, degraded: "the server is out of memory" });
  expect(await joint.consume("new")).toMatchObject({ allowed: true, degraded: "the server is out of memory" });
});
