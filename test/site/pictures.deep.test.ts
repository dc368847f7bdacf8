import { Redis } from "ioredis-5";
import { createLimiter, slidingWindow } from "tollgate";
import { redisStore } from "tollgate/redis";
import { expect, it } from "vitest";
import { startRedis } from "../../packages/tollgate/test/stores/redis/servers/start-redis.ts";
import { TOGETHER_OVER_REDIS } from "../../site/pictures/draw.ts";

it("two nodes over one Redis admit together what the picture says", async () => {
  const server = await startRedis();
  const nodes = [1, 2].map(() => {
    const client = new Redis(server.port, "127.0.0.1");
    const store = redisStore({ client });
    const limits = [slidingWindow({ limit: 10, window: "1h" })];
    return { client, store, limiter: createLimiter({ name: "api", limits, store }) };
  });
  let admitted = 0;
  for (const { limiter } of nodes) {
    for (let call = 0; call < 10; call += 1) if (await limiter.allow("ann")) admitted += 1;
  }
  expect(admitted).toBe(TOGETHER_OVER_REDIS);
  for (const { client, store } of nodes) {
    await store.close();
    client.disconnect();
  }
  await server.stop();
});
