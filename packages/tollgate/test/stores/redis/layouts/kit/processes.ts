import type { RedisStore } from "tollgate/redis";
import { freshPrefix, type RedisInUse, type StoreOptions } from "../../kit/use-redis.ts";

/** The stores of two processes that know each other's limits from the server alone. */
export function processes(redis: RedisInUse, options: StoreOptions = {}): readonly [RedisStore, RedisStore] {
  const prefix = freshPrefix();
  const store = () => redis.store({ prefix, ...options });
  return [store(), store()];
}
