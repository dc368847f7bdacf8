import type { Options } from "express-rate-limit";
import { asyncContender, type CreateContender, loopOf, never, type Setup, syncContender } from "./contender.ts";

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
      const take = (key: string) => limiter.consume(key);
      const others = {
        peek: { ask: (key: string) => limiter.get(key), before: take },
        charge: { ask: (key: string) => limiter.penalty(key) },
        refund: { ask: (key: string) => limiter.reward(key), before: take },
      };
      const { ask, before } = { before: undefined, ...(otherVerb(setup, others) ?? { ask: take }) };
      // A denial rejects with a result, a failure with an Error.
      const isDenial = (reason: unknown) => !(reason instanceof Error);
      return asyncContender(setup, { ask, admits: () => true, isDenial }, before);
    };
  },

  async "express-rate-limit"() {
    const { MemoryStore } = await import("express-rate-limit");
    return (setup) => {
      const store = new MemoryStore();
      // The store reads only this option of the middleware.
      store.init({ windowMs: WINDOW_MS } as Options);
      type Counted = Awaited<ReturnType<typeof store.increment>>;
      const take = (key: string) => store.increment(key);
      const others = {
        peek: { ask: (key: string) => store.get(key), before: take },
        refund: { ask: (key: string) => store.decrement(key), before: take },
      };
      const other = otherVerb(setup, others);
      const admits = (counted: unknown) => other !== undefined || (counted as Counted).totalHits <= setup.units;
      const call = { ask: other?.ask ?? take, admits, isDenial: never };
      return { ...asyncContender(setup, call, other?.before), close: () => store.shutdown() };
    };
  },

  /** Its middleware awaits a result that is not a promise. This loop does not. */
  async "hono-rate-limiter"() {
    const { MemoryStore } = await import("hono-rate-limiter");
    return (setup) => {
      const store = new MemoryStore();
      // The store reads only this option of the middleware.
      store.init({ windowMs: WINDOW_MS } as Parameters<typeof store.init>[0]);
      const counting = (strings: readonly string[]) => (from: number, to: number) => {
        let admitted = 0;
        for (let i = from; i < to; i += 1) if (store.increment(strings[i]!).totalHits <= setup.units) admitted += 1;
        return admitted;
      };
      const take = (key: string) => store.increment(key);
      const others = {
        peek: { ask: (key: string) => store.get(key) !== undefined, before: take },
        refund: { ask: (key: string) => store.decrement(key) === undefined, before: take },
      };
      const other = otherVerb(setup, others);
      const contender = syncContender(setup, other === undefined ? counting : loopOf(other.ask), other?.before);
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
            const refill = setup.limit === "refilled" ? { tokensPerInterval: 9_000_000, interval: 1_000 } : SLOWLY;
            bucket = new TokenBucket({ bucketSize: setup.units, ...refill });
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

const SLOWLY = { tokensPerInterval: 1, interval: WINDOW_MS } as const;

/** What a job asks for apart from counting. A rival that cannot charge counts a charge as a call. */
function otherVerb<Call>({ verb }: Setup, calls: Readonly<Record<string, Call>>): Call | undefined {
  return verb === undefined ? undefined : calls[verb];
}

type Done = (error: Error | null, counted: { readonly current: number }) => void;

/** The plugin's types leave its store out. */
interface LocalStoreClass {
  new (...options: [boolean, boolean, number?]): { incr(key: string, done: Done, windowMs: number, max: number): void };
}

/** The plugin makes a promise and a closure per call. This loop does not. `cache`: the most keys that it keeps. */
async function fastifyRateLimit(cache: [] | [number]): Promise<CreateContender> {
  const path = "@fastify/rate-limit/store/LocalStore.js";
  const { default: LocalStore } = (await import(path)) as { readonly default: LocalStoreClass };
  return (setup) => {
    const store = new LocalStore(false, false, ...cache);
    let current = 0;
    const done: Done = (error, counted) => {
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
