import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { type RedisStoreOptions, redisStore } from "tollgate/redis";
import { storeContract } from "tollgate/testing";
import { afterAll, describe, it } from "vitest";
import { BY_LIMITERS_CLOCK } from "../../../src/stores/redis/limiters-clock.ts";
import { ofFile } from "../../of-file.ts";
import { startRedis } from "./servers/start-redis.ts";

const server = await ofFile(startRedis());
const client = new Redis(server.port);
afterAll(() => client.disconnect());

describe("the store contract holds for the Redis store", () => {
  const createStore = () => redisStore({ client, prefix: randomUUID(), ...BY_LIMITERS_CLOCK, timeout: "10s" });
  it.each(storeContract({ createStore }))("$name", async ({ run }) => {
    await run();
  });
});

/** Calls that may be joined, remembered or sent one by one. */
const JOINED = /made together|a batch decides/;

describe.each<Omit<RedisStoreOptions, "client">>([{ denyCache: false }, { batch: 3 }, { batch: false, denyCache: 2 }])(
  "the store contract holds with the options %o",
  (options) => {
    const createStore = () =>
      redisStore({ client, prefix: randomUUID(), ...BY_LIMITERS_CLOCK, timeout: "10s", ...options });

    it.each(storeContract({ createStore }).filter(({ name }) => JOINED.test(name)))("$name", async ({ run }) => {
      await run();
    });
  },
);
