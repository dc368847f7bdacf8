import { mapMaybeAsync } from "../core/maybe-async.ts";
import { HitCounter, type Hits, type TollgateStoreOptions } from "./hit-counter.ts";

export type { TollgateStoreOptions } from "./hit-counter.ts";

/** The hits of a client, as express-rate-limit and hono-rate-limiter read them. */
export interface ClientHits {
  readonly totalHits: number;
  readonly resetTime: Date;
}

/** The `Store` of express-rate-limit 6 to 8, and of hono-rate-limiter 0.4 and 0.5. One limiter uses it. */
export interface TollgateStore {
  /** Whether the counts are in memory of this store alone. */
  readonly localKeys: boolean;
  readonly prefix: string;
  /** The middleware calls it with its options. */
  init(options: { readonly windowMs: number }): void;
  get(key: string): Promise<ClientHits | undefined>;
  increment(key: string): Promise<ClientHits>;
  decrement(key: string): Promise<void>;
  resetKey(key: string): Promise<void>;
  resetAll(): Promise<void>;
  shutdown(): Promise<void>;
}

/**
 * Makes a store for express-rate-limit, whose middleware stays: it counts in any store of Tollgate. A call rejects if
 * that store is unavailable, unless its `onFailure` has a fallback, and `passOnStoreError` of the middleware decides.
 *
 * @throws TollgateError as `createLimiter`.
 * @example
 * ```ts
 * import { tollgateStore } from "tollgate/express-rate-limit";
 *
 * const store = tollgateStore(); // for rateLimit({ windowMs: 60_000, limit: 100, store })
 * store.init({ windowMs: 60_000 });
 * console.log((await store.increment("192.0.2.1")).totalHits); // 1
 * ```
 */
export function tollgateStore(options: TollgateStoreOptions = {}): TollgateStore {
  return new MiddlewareStore(options);
}

/** What the middleware uses until it has called `init`. */
const DEFAULT_WINDOW_MS = 60_000;

class MiddlewareStore implements TollgateStore {
  readonly localKeys: boolean;
  readonly prefix: string;
  readonly #counter: HitCounter;
  #windowMs = DEFAULT_WINDOW_MS;

  constructor(options: TollgateStoreOptions) {
    this.#counter = new HitCounter(options);
    this.localKeys = options.store === undefined;
    this.prefix = options.name ?? "";
  }

  init({ windowMs }: { readonly windowMs: number }): void {
    this.#windowMs = windowMs;
  }

  async get(key: string): Promise<ClientHits | undefined> {
    return mapMaybeAsync(this.#counter.read(key, this.#windowMs), (hits) => hits && clientHits(hits));
  }

  async increment(key: string): Promise<ClientHits> {
    return mapMaybeAsync(this.#counter.add(key, 1, this.#windowMs), clientHits);
  }

  async decrement(key: string): Promise<void> {
    await this.#counter.takeBack(key, this.#windowMs);
  }

  async resetKey(key: string): Promise<void> {
    return this.#counter.reset(key);
  }

  async resetAll(): Promise<void> {
    return this.#counter.clear();
  }

  async shutdown(): Promise<void> {
    if (this.localKeys) await this.#counter.clear();
  }
}

/** The middleware subtracts the wall time. */
function clientHits({ count, resetMs }: Hits): ClientHits {
  return { totalHits: count, resetTime: new Date(Date.now() + resetMs) };
}
