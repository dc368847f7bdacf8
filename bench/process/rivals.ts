import type { Options } from "express-rate-limit";
import { asyncContender, type CreateContender, callContender, never } from "./contender.ts";

/** Longer than a measurement: no window ends and no timer fires on the clock. */
export const WINDOW_MS = 3_600_000;
const MOST_KEYS = 1_000_000;

/**
 * The rivals, by the ids of their rows. A process loads one of them. The stores of middleware packages are asked alone,
 * as their middleware asks them.
 */
export const RIVALS = {
  async "rate-limiter-flexible"() {
    const { RateLimiterMemory } = await import("rate-limiter-flexible");
    return (setup) => {
      const limiter = new RateLimiterMemory({ points: setup.units, duration: WINDOW_MS / 1_000 });
      // A denial rejects with a result, a failure with an Error.
      const isDenial = (reason: unknown) => !(reason instanceof Error);
      return asyncContender(setup, { ask: (key) => limiter.consume(key), admits: () => true, isDenial });
    };
  },

  async "express-rate-limit"() {
    const { MemoryStore } = await import("express-rate-limit");
    return (setup) => {
      const store = new MemoryStore();
      // The store reads only this option of the middleware.
      store.init({ windowMs: WINDOW_MS } as Options);
      type Counted = Awaited<ReturnType<typeof store.increment>>;
      const admits = (counted: unknown) => (counted as Counted).totalHits <= setup.units;
      return asyncContender(setup, { ask: (key) => store.increment(key), admits, isDenial: never });
    };
  },

  /** Its middleware awaits a result that is not a promise. This loop does not. */
  async "hono-rate-limiter"() {
    const { MemoryStore } = await import("hono-rate-limiter");
    return (setup) => {
      const store = new MemoryStore();
      // The store reads only this option of the middleware.
      store.init({ windowMs: WINDOW_MS } as Parameters<typeof store.init>[0]);
      return callContender(setup, (key) => store.increment(key).totalHits <= setup.units);
    };
  },

  /** The plugin makes a promise and a closure per call. This loop does not. */
  async "fastify-rate-limit"() {
    const path = "@fastify/rate-limit/store/LocalStore.js";
    const { default: LocalStore } = (await import(path)) as { readonly default: LocalStoreClass };
    return (setup) => {
      const store = new LocalStore(false, false, MOST_KEYS);
      let current = 0;
      const done: Done = (error, counted) => {
        if (error !== null) throw error;
        current = counted.current;
      };
      return callContender(setup, (key) => {
        store.incr(key, done, WINDOW_MS, setup.units);
        return current <= setup.units;
      });
    };
  },

  /** It has no keys: its users keep a bucket per key in a Map. */
  async limiter() {
    const { TokenBucket } = await import("limiter");
    return (setup) => {
      const buckets = new Map<string, InstanceType<typeof TokenBucket>>();
      return callContender(setup, (key) => {
        let bucket = buckets.get(key);
        if (bucket === undefined) {
          bucket = new TokenBucket({ bucketSize: setup.units, tokensPerInterval: 1, interval: WINDOW_MS });
          // Buckets begin empty. `RateLimiter` of the same package fills its own in this way.
          bucket.content = setup.units;
          buckets.set(key, bucket);
        }
        return bucket.tryRemoveTokens(1);
      });
    };
  },
} as const satisfies Readonly<Record<string, () => Promise<CreateContender>>>;

type Done = (error: Error | null, counted: { readonly current: number }) => void;

/** The plugin's types leave its store out. The third option is the most keys that it keeps. */
interface LocalStoreClass {
  new (
    continueExceeding: boolean,
    exponentialBackoff: boolean,
    cache: number,
  ): { incr(key: string, done: Done, windowMs: number, max: number): void };
}
