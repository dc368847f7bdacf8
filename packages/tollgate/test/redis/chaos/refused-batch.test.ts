import { Redis } from "ioredis";
import { createLimiter, perDay } from "tollgate";
import { redisStore } from "tollgate/redis";
import { expect, it, onTestFinished } from "vitest";
import { startProxyHere, startRedisHere } from "../servers/set-up.ts";
import { LagMeter } from "./kit/lag-meter.ts";

const TIMEOUT_MS = 200;
const GRACE_MS = 20;
/** Calls go out together first, and then, for one of them is refused, each alone. */
const KEYS = ["good", "bad", "fine"];

it("a call takes no longer where another one's key, in the same batch, is refused", async () => {
  const server = await startRedisHere();
  const proxy = await startProxyHere(server);
  const client = new Redis(proxy.port);
  onTestFinished(() => client.disconnect());
  const store = redisStore({ client, timeoutMs: TIMEOUT_MS, onFailure: "deny" });
  const limiter = createLimiter({ name: "api", limits: [perDay(10)], store });
  await limiter.allow("bad");
  const [name] = await client.keys("tg:*");
  await client.multi().del(name!).lpush(name!, "x").exec();
  const lag = new LagMeter();
  lag.start();

  proxy.delay(70);
  const startedMs = performance.now();
  const came = await Promise.all(
    KEYS.map(async (key) => {
      const how = await limiter.consume(key).then(
        ({ degraded }) => degraded,
        (error: unknown) => error,
      );
      const endedMs = performance.now();
      return { how, tookMs: endedMs - startedMs - lag.keptMs(startedMs, startedMs + TIMEOUT_MS, endedMs) };
    }),
  );
  lag.stop();
  expect(came.map(({ how }) => how)).toEqual(["timed out", "timed out", "timed out"]);
  for (const { tookMs } of came) expect(tookMs).toBeLessThanOrEqual(TIMEOUT_MS + GRACE_MS);

  await proxy.pass();
  expect(await Promise.allSettled(KEYS.map((key) => limiter.consume(key)))).toMatchObject([
    { value: { allowed: true } },
    { reason: { code: "ERR_STORE" } },
    { value: { allowed: true } },
  ]);
});
