import { createLimiter, perSecond } from "tollgate";
import { manualClock } from "tollgate/testing";
import type { RedisInUse, StoreOptions } from "./use-redis.ts";

export const NOW_MS = 1_790_000_000_000;

/** A limiter whose key "ann" is exhausted. */
export async function exhaustedLimiter(
  redis: RedisInUse,
  { capacity = 10, ...options }: StoreOptions & { readonly capacity?: number } = {},
) {
  const clock = manualClock(NOW_MS);
  const store = redis.storeByClock(options);
  const limiter = createLimiter({ name: "api", limits: [perSecond(capacity)], clock, store });
  await limiter.allow("ann", capacity);
  return { redis, clock, store, limiter };
}
