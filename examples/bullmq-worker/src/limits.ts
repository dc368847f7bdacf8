import type { Redis } from "ioredis";
import { type AsyncLimiter, createLimiter, slidingWindow } from "tollgate";
import { redisStore } from "tollgate/redis";

/** The upstream's promise to us: so many mails in any second, whichever worker sends them. */
export function upstreamLimiter(client: Redis, mailsPerSecond: number): AsyncLimiter {
  return createLimiter({
    name: "mail upstream",
    limits: [slidingWindow({ limit: mailsPerSecond, window: "1s", unit: "mails" })],
    // While Redis is away nothing is sent: the queue is in Redis too.
    store: redisStore({ client, onFailure: "deny" }),
  });
}
