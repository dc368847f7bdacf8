// The types of @fastify/rate-limit leave its store out.

declare module "@fastify/rate-limit/store/LocalStore.js" {
  interface Counted {
    readonly current: number;
    readonly ttl: number;
  }

  /** The plugin's store in memory, which its types leave out. `cache`: the most keys, 5,000 by default. */
  class LocalStore {
    constructor(continueExceeding: boolean, exponentialBackoff: boolean, cache?: number);
    incr(key: string, done: (error: Error | null, counted: Counted) => void, windowMs: number, max: number): void;
  }

  export = LocalStore;
}
