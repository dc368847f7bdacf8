import { createLimiter, perDay } from "tollgate";
import { type RedisStore, redisStore } from "tollgate/redis";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ofFile } from "../of-file.ts";
import { UpstashServer } from "../stores/redis/clients/upstash-server.ts";
import { startRedis } from "../stores/redis/servers/start-redis.ts";
import { CLIENTS, type ClientName, LIMIT } from "./kit/flood.ts";
import { closeClient, loadClient } from "./kit/open-client.ts";

const redis = await ofFile(startRedis());
const upstash = await ofFile(UpstashServer.start(redis));
beforeEach(async () => {
  await redis.command("CONFIG", "SET", "maxmemory", "0");
  await redis.command("FLUSHALL");
});

async function openStore(name: ClientName): Promise<RedisStore> {
  const open = await loadClient(name);
  const { client, connected } = await open({ port: redis.port, upstash });
  await connected;
  const store = redisStore({ client });
  onTestFinished(async () => {
    await store.close();
    await closeClient(client);
  });
  return store;
}

/** A store without a remembered denial of the exhausted key, over a server without memory for new keys. */
async function fullAndExhausted(name: ClientName) {
  const limits = [perDay(LIMIT)];
  const before = createLimiter({ name: "api", limits, store: await openStore(name) });
  await before.allow("exhausted", LIMIT);
  const store = await openStore(name);
  const limiter = createLimiter({ name: "api", limits, store });
  await limiter.allow("warm");
  await redis.command("CONFIG", "SET", "maxmemory", "1");
  return { store, limiter };
}

const DENIED = { allowed: false, degraded: undefined };
const OUT_OF_MEMORY = { allowed: true, degraded: "the server is out of memory" };

describe.each(CLIENTS)("over a full Redis, with %s,", (name) => {
  it("Redis denies an exhausted key in one batch with new keys", async () => {
    const { limiter } = await fullAndExhausted(name);
    for (let turn = 0; turn < 10; turn += 1) {
      const keys = ["exhausted", `new ${turn}`, "exhausted", `other ${turn}`, "exhausted"];
      const decisions = await Promise.all(keys.map((key) => limiter.consume(key)));
      const seen = decisions.map(({ allowed, degraded }) => ({ allowed, degraded }));
      expect(seen).toEqual([DENIED, OUT_OF_MEMORY, DENIED, OUT_OF_MEMORY, DENIED]);
    }
  });

  it("six new keys do not open the circuit for others", async () => {
    const { limiter, store } = await fullAndExhausted(name);
    for (let key = 0; key < 6; key += 1) {
      const { allowed, degraded } = await limiter.consume(`new ${key}`);
      expect({ allowed, degraded }).toEqual(OUT_OF_MEMORY);
    }
    expect(store.breaker).toBe("closed");
    const { allowed, degraded } = await limiter.consume("exhausted");
    expect({ allowed, degraded }).toEqual(DENIED);
  });
});
