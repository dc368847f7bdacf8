import type { ClientRateLimitInfo, Options } from "express-rate-limit";
import type { Redis } from "ioredis";
import type { RedisReply } from "rate-limit-redis";
import type { IRateLimiterRedisOptions } from "rate-limiter-flexible";
import type { Decision } from "tollgate";
import type { RedisStoreOptions } from "tollgate/redis";
import { type AsyncCall, never } from "../process/contender.ts";

export interface Setup {
  readonly client: Redis;
  /** Units of each key. They come back more slowly than a measurement takes. */
  readonly limit: number;
}

export type CreateContender = (setup: Setup) => AsyncCall | Promise<AsyncCall>;

export async function decide(contender: AsyncCall, key: string): Promise<boolean> {
  try {
    return contender.admits(await contender.ask(key));
  } catch (reason) {
    if (contender.isDenial(reason)) return false;
    throw reason;
  }
}

/** The fixed window of the rivals: none ends during a measurement. */
const DAY_MS = 86_400_000;

/** A count without expiry: the least work that a limiter on a server could do. */
export function incr({ client, limit }: Setup): AsyncCall {
  return { ask: (key) => client.incr(key), admits: (count) => (count as number) <= limit, isDenial: never };
}

/** `periods`: one limit for each, whose unit comes back in this time. */
type TollgateOptions = { readonly periods?: readonly ("15s" | "30s" | "1m")[]; readonly batch?: false };

/** Calls `allow`. By default there is one limit, and the store sends batches. */
export function tollgate(options: TollgateOptions = {}): CreateContender {
  return async (setup) => {
    const limiter = await limiterOf(setup, options);
    return { ask: (key) => limiter.allow(key), admits: (answer) => answer === true, isDenial: never };
  };
}

export async function consuming(setup: Setup): Promise<AsyncCall> {
  const limiter = await limiterOf(setup, {});
  return { ask: (key) => limiter.consume(key), admits: (decision) => (decision as Decision).allowed, isDenial: never };
}

async function limiterOf({ client, limit }: Setup, { periods = ["1m"], batch }: TollgateOptions) {
  const { createLimiter, tokenBucket } = await import("tollgate");
  const { redisStore } = await import("tollgate/redis");
  // A decision without the server is a denial, which the checks notice.
  const options: RedisStoreOptions = { client, onFailure: "deny", timeout: "1s" };
  const limits = periods.map((per) => tokenBucket({ capacity: limit, refill: 1, per }));
  // The name is part of each key: as long as in an application.
  return createLimiter({ name: "api", limits, store: redisStore(batch === false ? { ...options, batch } : options) });
}

/** `blocks`: remembers denials in this process. */
export function rateLimiterFlexible({ blocks }: { readonly blocks: boolean }): CreateContender {
  return async ({ client, limit }) => {
    const { RateLimiterRedis } = await import("rate-limiter-flexible");
    const options: IRateLimiterRedisOptions = { storeClient: client, points: limit, duration: DAY_MS / 1_000 };
    const limiter = new RateLimiterRedis(blocks ? { ...options, inMemoryBlockOnConsumed: limit + 1 } : options);
    return {
      ask: (key) => limiter.consume(key),
      admits: () => true,
      // A denial rejects with a result, a failure with an Error.
      isDenial: (reason) => !(reason instanceof Error),
    };
  };
}

/** The store alone, asked as the middleware of express-rate-limit asks it. */
export async function rateLimitRedis({ client, limit }: Setup): Promise<AsyncCall> {
  const { RedisStore } = await import("rate-limit-redis");
  const store = new RedisStore({
    sendCommand: (command: string, ...args: string[]) => client.call(command, ...args) as Promise<RedisReply>,
  });
  // The store reads only this option of the middleware.
  await store.init({ windowMs: DAY_MS } as Options);
  return {
    ask: (key) => store.increment(key),
    admits: (info) => (info as ClientRateLimitInfo).totalHits <= limit,
    isDenial: never,
  };
}
