export type { OnFailure } from "../../core/store.ts";
export type {
  BypassChange,
  ServerDown,
  ServerProbe,
  ServerUp,
  StoreObservation as RedisStoreObservation,
} from "../../core/store-observation.ts";
export type { BreakerState } from "../remote/breaker.ts";
export type {
  CommandsStoreClient,
  GlideStoreClient,
  IoredisStoreClient,
  NodeRedisStoreClient,
  StoreClient,
  UpstashStoreClient,
} from "./clients/store-client.ts";
export type { RedisStoreOptions } from "./redis-options.ts";
export { type RedisStore, redisStore } from "./redis-store.ts";
