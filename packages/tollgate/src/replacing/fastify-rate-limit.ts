import { type Maybe, mapMaybeAsync } from "../core/maybe-async.ts";
import { HitCounter, type Hits, type TollgateStoreOptions } from "./hit-counter.ts";

export type { TollgateStoreOptions } from "./hit-counter.ts";

/** What the plugin says of a route that has options of its own, as far as a store needs it. Its types say another. */
interface RouteOptions {
  readonly continueExceeding?: boolean;
  readonly exponentialBackoff?: boolean;
  readonly routeInfo?: { readonly method?: unknown; readonly url?: unknown };
}

/** Is called once, with an error or with the hits. Times are milliseconds. */
export type HitsCallback = (error: Error | null, result?: { readonly current: number; readonly ttl: number }) => void;

/** A store of @fastify/rate-limit. */
export interface TollgateStore {
  incr(key: string, callback: HitsCallback, timeWindow: number, max: number): void;
  read(key: string, callback: HitsCallback, timeWindow: number, max: number): void;
  child(route: object): TollgateStore;
}

/** The class that the plugin's option `store` takes. */
export type TollgateStoreClass = new (options: object) => TollgateStore;

/**
 * Makes a store class for @fastify/rate-limit, whose plugin stays: it counts in any store of Tollgate. A call fails if
 * that store is unavailable, unless its `onFailure` has a fallback, and `skipOnError` of the plugin decides.
 *
 * @throws TollgateError as `createLimiter`.
 * @example
 * ```ts
 * import { tollgateStore } from "tollgate/fastify-rate-limit";
 *
 * const Store = tollgateStore(); // for app.register(rateLimit, { max: 100, timeWindow: 60_000, store: Store })
 * new Store({}).incr("192.0.2.1", (error, result) => console.log(error, result?.current), 60_000, 100); // null 1
 * ```
 */
export function tollgateStore(options: TollgateStoreOptions = {}): TollgateStoreClass {
  const isShared = options.store !== undefined;
  const counter = new HitCounter(options);
  return class extends PluginStore {
    /** Applications that share no store count apart. */
    constructor(route: object) {
      super(isShared ? counter : new HitCounter(options), isShared, route);
    }
  };
}

class PluginStore implements TollgateStore {
  readonly #counter: HitCounter;
  readonly #isShared: boolean;
  readonly #route: RouteOptions;
  /** Routes with options of their own count apart. Processes that share a store know a route by its method and URL. */
  readonly #scope: string;
  /** The children, for all stores of one class. */
  readonly #children: { count: number };

  constructor(counter: HitCounter, isShared: boolean, route: object, scope = "", children = { count: 0 }) {
    this.#counter = counter;
    this.#isShared = isShared;
    this.#route = route;
    this.#scope = scope;
    this.#children = children;
  }

  incr(key: string, callback: HitsCallback, timeWindow: number, max: number): void {
    const tuple = [this.#scope, key];
    void answer(callback, () =>
      mapMaybeAsync(this.#counter.add(tuple, 1, timeWindow), (hits) => {
        const endsInMs = hits.count > max ? this.#extended(timeWindow, hits.count - max - 1) : undefined;
        return endsInMs === undefined
          ? hits
          : mapMaybeAsync(this.#counter.set(tuple, hits.count, endsInMs), () => ({ ...hits, resetMs: endsInMs }));
      }),
    );
  }

  read(key: string, callback: HitsCallback, timeWindow: number): void {
    void answer(callback, () => this.#counter.read([this.#scope, key], timeWindow));
  }

  child(route: object): TollgateStore {
    this.#children.count += 1;
    const { method, url } = (route as RouteOptions).routeInfo ?? {};
    const scope = this.#isShared ? `${this.#scope}${String(method)}${String(url)}` : `${this.#children.count}`;
    return new PluginStore(this.#counter, this.#isShared, route, scope, this.#children);
  }

  /** In how many milliseconds the count ends of a client that has exceeded its limit so many times before. */
  #extended(timeWindow: number, times: number): number | undefined {
    if (this.#route.continueExceeding === true) return timeWindow;
    if (this.#route.exponentialBackoff !== true) return undefined;
    return Math.min(timeWindow * 2 ** times, Number.MAX_SAFE_INTEGER);
  }
}

async function answer(callback: HitsCallback, count: () => Maybe<Hits | undefined>): Promise<void> {
  let hits: Hits | undefined;
  try {
    hits = await count();
  } catch (error) {
    callback(error as Error);
    return;
  }
  callback(null, { current: hits?.count ?? 0, ttl: Math.round(hits?.resetMs ?? 0) });
}
