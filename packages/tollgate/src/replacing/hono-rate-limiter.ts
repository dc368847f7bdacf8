import { tollgateStore as storeOf, type TollgateStore } from "./express-rate-limit.ts";
import type { TollgateStoreOptions } from "./hit-counter.ts";

export type { ClientHits, TollgateStore } from "./express-rate-limit.ts";
export type { TollgateStoreOptions } from "./hit-counter.ts";

/**
 * Makes a store for hono-rate-limiter, whose middleware stays: it counts in any store of Tollgate. A call rejects if
 * that store is unavailable, unless its `onFailure` has a fallback.
 *
 * @throws TollgateError as `createLimiter`.
 * @example
 * ```ts
 * import { tollgateStore } from "tollgate/hono-rate-limiter";
 *
 * const store = tollgateStore(); // for rateLimiter({ windowMs: 60_000, limit: 100, keyGenerator, store })
 * store.init({ windowMs: 60_000 });
 * console.log((await store.increment("ann")).totalHits); // 1
 * ```
 */
export function tollgateStore(options: TollgateStoreOptions = {}): TollgateStore {
  return storeOf(options);
}
