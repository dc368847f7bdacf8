import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Redis } from "ioredis";
import type * as Tollgate from "tollgate";
import type * as TollgateRedis from "tollgate/redis";
import type { HolderOrders } from "./holders.ts";

const source = process.env["TOLLGATE_SRC"] ?? fileURLToPath(new URL("../../../../../src", import.meta.url));
const { concurrency, createLimiter } = (await import(String(pathToFileURL(`${source}/index.ts`)))) as typeof Tollgate;
const { redisStore } = (await import(String(pathToFileURL(`${source}/stores/redis/index.ts`)))) as typeof TollgateRedis;

const { port, prefix, max, ttlMs, lanes } = JSON.parse(process.argv[2]!) as HolderOrders;
const client = new Redis(port);
const limiter = createLimiter({
  name: "db",
  limits: [concurrency({ max, ttl: ttlMs })],
  store: redisStore({ client, prefix, timeout: 10_000, warnings: false }),
});

/** Notes until when a process holds a place, and how many are held at this moment. */
const NOTE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if tonumber(ARGV[2]) > now then redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1]) end
local count = redis.call('ZCARD', KEYS[1])
redis.call('HINCRBY', KEYS[2], count, 1)
return count`;

async function serverMs(): Promise<number> {
  const [seconds, us] = await client.time();
  return Number(seconds) * 1_000 + Math.floor(Number(us) / 1_000);
}

/** Holds a place again and again. Notes begin after a place is taken, and end before it is freed or expires. */
async function hold(lane: number): Promise<never> {
  for (let turn = 0; ; turn += 1) {
    const name = `${process.pid}:${lane}:${turn}`;
    const takenMs = await serverMs();
    const reservation = await limiter.reserve("all");
    if (!reservation.decision.allowed) {
      await sleep(1 + Math.random() * 5);
      continue;
    }
    await client.eval(NOTE, 2, `${prefix}:holders`, `${prefix}:counts`, name, takenMs + ttlMs);
    for (let renewals = Math.floor(Math.random() * 3); renewals > 0; renewals -= 1) {
      await sleep(Math.random() * 40);
      const renewedMs = await serverMs();
      if (!(await reservation.renew())) break;
      await client.eval(NOTE, 2, `${prefix}:holders`, `${prefix}:counts`, name, renewedMs + ttlMs);
    }
    // Sometimes too long: then it has expired.
    await sleep(Math.random() * (Math.random() < 0.05 ? 3 * ttlMs : 20));
    await client.zrem(`${prefix}:holders`, name);
    await (Math.random() < 0.5 ? reservation.settle(1) : reservation.cancel());
  }
}

process.once("disconnect", () => process.exit());
process.send?.("ready");
await Promise.all(Array.from({ length: lanes }, (_, lane) => hold(lane)));
