import { Redis } from "ioredis";
import { createLimiter, perDay } from "tollgate";
import { redisStore } from "tollgate/redis";
import { expect, it, onTestFinished } from "vitest";
import { startProxyHere, startRedisHere } from "../servers/test-servers.ts";

const TIMEOUT_MS = 200;
/** Calls go out together first, and then, for one of them is refused, each alone. */
const KEYS = ["good", "bad", "fine"];

it("a call is decided where another one's key, in the same batch, is refused: an answer that says so is no silence", async () => {
  const server = await startRedisHere();
  const proxy = await startProxyHere(server);
  const client = new Redis(proxy.port);
  onTestFinished(() => client.disconnect());
  const store = redisStore({ client, timeoutMs: TIMEOUT_MS, onFailure: "deny" });
  onTestFinished(() => store.close());
  const limiter = createLimiter({ name: "api", limits: [perDay(10)], store });
  await limiter.allow("bad");
  const [name] = await client.keys("tg:*");
  await client.multi().del(name!).lpush(name!, "x").exec();
  // Longer than the timeout for both ways twice, and shorter for once.
  proxy.delay(70);
  expect(await Promise.allSettled(KEYS.map((key) => limiter.consume(key)))).toMatchObject([
    { value: { allowed: true } },
    { reason: { code: "ERR_STORE" } },
    { value: { allowed: true } },
  ]);
  expect(store.breaker).toBe("closed");
});
