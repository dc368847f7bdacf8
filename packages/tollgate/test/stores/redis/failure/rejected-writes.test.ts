import { Redis } from "ioredis";
import { type AsyncLimiter, createLimiter, perDay, perMinute, slidingWindow } from "tollgate";
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
