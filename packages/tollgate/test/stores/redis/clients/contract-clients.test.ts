import { afterAll, beforeAll, describe } from "vitest";
import type { RedisServer } from "../servers/redis-server.ts";
import { startRedis } from "../servers/start-redis.ts";
import { CLIENTS, itKeepsTheContract } from "./kit/contract-of-client.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => {
  await server.stop();
});

describe.each(CLIENTS)("the store contract holds over $name", ({ connect }) => {
  itKeepsTheContract(() => connect(server));
});
