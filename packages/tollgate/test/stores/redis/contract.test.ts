import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { redisStore } from "tollgate/redis";
import { storeContract } from "tollgate/testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import { BY_LIMITERS_CLOCK } from "../../../src/stores/redis/limiters-clock.ts";
import type { RedisServer } from "./servers/redis-server.ts";
import { startRedis } from "./servers/start-redis.ts";

let server: RedisServer;
let client: Redis;

beforeAll(async () => {
  server = await startRedis();
  client = new Redis(server.port);
});
afterAll(async () => {
  client.disconnect();
  await server.stop();
});

describe("the store contract holds for the Redis store", () => {
  const createStore = () => redisStore({ client, prefix: randomUUID(), ...BY_LIMITERS_CLOCK, timeout: "10s" });
  it.each(storeContract({ createStore }))("$name", async ({ run }) => {
    await run();
  });
});
