import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { hybridStore } from "tollgate/hybrid";
import { storeContract } from "tollgate/testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import type { RedisServer } from "../servers/redis-server.ts";
import { startRedis } from "../servers/start-redis.ts";

let server: RedisServer;
let redis: Redis;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.port);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

describe("the store contract holds for the hybrid store", () => {
  const createStore = () => hybridStore({ redis, prefix: randomUUID(), time: "client", maxSkew: "1d", timeout: "10s" });
  it.each(storeContract({ createStore }))("$name", async ({ run }) => {
    await run();
  });
});
