import { Redis } from "ioredis";
import { createLimiter, perDay } from "tollgate";
import { redisStore } from "tollgate/redis";
import { expect, it, onTestFinished } from "vitest";
import { startProxyHere, startRedisHere } from "../servers/test-servers.ts";

const TIMEOUT_MS = 2_000;
/** The calls are sent together first. Because one of them is rejected, each is then sent alone. */
const KEYS = ["good", "bad", "fine"];

it("the calls of a batch are decided if the server rejects one of its keys, because an error is a reply", async () => {
  const server = await startRedisHere();
  const proxy = await startProxyHere(server);
  const client = new Redis(proxy.port);
  onTestFinished(() => client.disconnect());
  const store = redisStore({ client, timeout: TIMEOUT_MS, onFailure: "deny" });
  onTestFinished(() => store.close());
  const limiter = createLimiter({ name: "api", limits: [perDay(10)], store });
  await limiter.allow("bad");
  const [name] = await client.keys("tg:api:*");
  await client.multi().del(name!).lpush(name!, "x").exec();
  // Two round trips take longer than the timeout, one is shorter.
  proxy.delay(700);
  expect(await Promise.allSettled(KEYS.map((key) => limiter.consume(key)))).toMatchObject([
    { value: { allowed: true } },
    { reason: { code: "ERR_STORE" } },
    { value: { allowed: true } },
  ]);
  expect(store.breaker).toBe("closed");
});
