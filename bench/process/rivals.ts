import type { Options } from "express-rate-limit";
import { asyncContender, type CreateContender, never, syncContender } from "./contender.ts";

/** Longer than a job: no window ends and no timer fires on the clock. */
export const WINDOW_MS = 3_600_000;
export const LARGE_CACHE = 1_000_000;

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
      const call = { ask: (key: string) => store.increment(key), admits, isDenial: never };
      return { ...asyncContender(setup, call), close: () => store.shutdown() };
    };
  },

  /** Its middleware awaits a result that is not a promise. This loop does not. */
  async "hono-rate-limiter"() {
    const { MemoryStore } = await import("hono-rate-limiter");
    return (setup) => {
      const store = new MemoryStore();
      // The store reads only this option of the middleware.
      store.init({ windowMs: WINDOW_MS } as Parameters<typeof store.init>[0]);
      const contender = syncContender(setup, (strings) => (from, to) => {
        let admitted = 0;
        for (let i = from; i < to; i += 1) if (store.increment(strings[i]!).totalHits <= setup.units) admitted += 1;
        return admitted;
      });
      return { ...contender, close: () => store.shutdown() };
    };
  },

  "fastify-rate-limit": () => fastifyRateLimit([]),
  "fastify-rate-limit-large": () => fastifyRateLimit([LARGE_CACHE]),

  /** It has no keys: its users keep a bucket per key in a Map. */
  async limiter() {
    const { TokenBucket } = await import("limiter");
    return (setup) => {
      const buckets = new Map<string, InstanceType<typeof TokenBucket>>();
      return syncContender(setup, (strings) => (from, to) => {
        let admitted = 0;
        for (let i = from; i < to; i += 1) {
          let bucket = buckets.get(strings[i]!);
          if (bucket === undefined) {
            bucket = new TokenBucket({ bucketSize: setup.units, tokensPerInterval: 1, interval: WINDOW_MS });
            // Buckets begin empty. `RateLimiter` of the same package fills its own in this way.
            bucket.content = setup.units;
            buckets.set(strings[i]!, bucket);
          }
          if (bucket.tryRemoveTokens(1)) admitted += 1;
        }
        return admitted;
      });
    };
  },
} as const satisfies Readonly<Record<string, () => Promise<CreateContender>>>;

/** The plugin makes a promise and a closure per call. This loop does not. `cache`: the most keys that it keeps. */
async function fastifyRateLimit(cache: [] | [number]): Promise<CreateContender> {
  const { default: LocalStore } = await import("@fastify/rate-limit/store/LocalStore.js");
  return (setup) => {
    const store = new LocalStore(false, false, ...cache);
    let current = 0;
    const done = (error: Error | null, counted: { readonly current: number }) => {
      if (error !== null) throw error;
      current = counted.current;
    };
    return syncContender(setup, (strings) => (from, to) => {
      let admitted = 0;
      for (let i = from; i < to; i += 1) {
        store.incr(strings[i]!, done, WINDOW_MS, setup.units);
        if (current <= setup.units) admitted += 1;
      }
      return admitted;
    });
  };
}
