import { checkChoice, checkObject } from "../../core/check-options.ts";
import type { StoreClient } from "../redis/clients/store-client.ts";
import type { RedisStoreOptions } from "../redis/redis-options.ts";

/** Options of `hybridStore`: those of `redisStore`, with the client as `redis`. */
export interface HybridStoreOptions extends Omit<RedisStoreOptions, "client"> {
  /**
   * A client of ioredis, iovalkey, redis (connected), @valkey/valkey-glide or @upstash/redis. The application owns it:
   * closing the store does not close the client.
   */
  readonly redis: StoreClient;
  /** How calls are decided without a round trip. `"lease"`, the default, takes units in advance. */
  readonly strategy?: "lease";
}

/** @throws TollgateError `ERR_OPTION` that says what was expected and what came. */
export function checkHybridOptions(options: HybridStoreOptions): RedisStoreOptions {
  checkObject("hybridStore", options);
  const { redis: client, strategy, ...others } = options;
  checkChoice("strategy", strategy, ["lease"]);
  return { ...others, client };
}
