export type { BreakerState } from "./failure/breaker.ts";
export type { OnFailure } from "./failure/on-failure.ts";
export type { RedisStoreObservation, RedisStoreOptions } from "./redis-options.ts";
export { type RedisStore, redisStore } from "./redis-store.ts";
