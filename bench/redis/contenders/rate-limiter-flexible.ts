import { type IRateLimiterRedisOptions, RateLimiterRedis } from "rate-limiter-flexible";
import type { Contender, Setup } from "./contender.ts";
import { DAY_MS } from "./day.ts";

export function create(setup: Setup): Contender {
  return contenderOf(setup, {});
}

/** Its counterpart of a cache of denials. */
export function blocking(setup: Setup): Contender {
  return contenderOf(setup, { inMemoryBlockOnConsumed: setup.limit + 1 });
}

function contenderOf({ client, limit }: Setup, options: Partial<IRateLimiterRedisOptions>): Contender {
  const limiter = new RateLimiterRedis({ storeClient: client, points: limit, duration: DAY_MS / 1_000, ...options });
  return {
    ask: (key) => limiter.consume(key),
    admits: () => true,
    // It rejects with a result to deny, and with an Error when something failed.
    isDenial: (reason) => !(reason instanceof Error),
  };
}
