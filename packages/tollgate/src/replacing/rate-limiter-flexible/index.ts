export { BurstyRateLimiter, RateLimiterUnion } from "./combinations.ts";
export {
  type CallOptions,
  type RateLimiterCompatible,
  type RateLimiterOptions,
  RateLimiterRedis,
  type RateLimiterRedisOptions,
  RateLimiterStore,
  type RateLimiterStoreOptions,
} from "./limiter.ts";
export { type Dump, RateLimiterMemory, type Restored } from "./memory.ts";
export {
  type QueuedLimiter,
  RateLimiterQueue,
  RateLimiterQueueError,
  type RateLimiterQueueOptions,
} from "./queue.ts";
export { RateLimiterRes } from "./result.ts";
