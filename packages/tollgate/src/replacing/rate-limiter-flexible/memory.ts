import { type MemoryStore, memoryStore } from "../../stores/memory/memory-store.ts";
import { LONGEST_MS } from "../hit-counter.ts";
import { isForever, msOf, NAME, RateLimiterStore, type RateLimiterStoreOptions } from "./limiter.ts";

/** What `dump` of a `RateLimiterMemory` returns, and `restore` takes. */
export interface Dump {
  readonly version: 1;
  readonly dumpedAt?: number;
  readonly storage: readonly {
    readonly key: string | number;
    readonly value: number;
    /** Milliseconds since the epoch; null if the count never ends. */
    readonly expiresAt: number | null;
  }[];
}

type Outcome = "restored" | "expired" | "invalid";

/** How many entries of a dump were restored; with their keys if that was asked for. */
export type Restored<Detailed extends boolean> = Readonly<
  Record<Outcome, Detailed extends true ? { readonly count: number; readonly keys: readonly unknown[] } : number>
>;

/**
 * The interface of their `RateLimiterMemory`, over a memory store of its own.
 *
 * @example
 * ```ts
 * import { RateLimiterMemory } from "tollgate/rate-limiter-flexible";
 *
 * const limiter = new RateLimiterMemory({ points: 5, duration: 60 });
 * console.log((await limiter.consume("ann", 2)).remainingPoints); // 3
 *
 * const afterRestart = new RateLimiterMemory({ points: 5, duration: 60 });
 * afterRestart.restore(limiter.dump());
 * console.log((await afterRestart.get("ann"))?.consumedPoints); // 2
 * ```
 */
export class RateLimiterMemory extends RateLimiterStore {
  readonly #store: MemoryStore;

  constructor(options: Omit<RateLimiterStoreOptions, "store">) {
    const store = memoryStore();
    super({ ...options, store });
    this.#store = store;
  }

  /** All counts, such as for `restore` in the next process. Keys of more than 256 characters are left out. */
  dump(): Dump {
    const dumpedAt = Date.now();
    const all = this.counter.entries(this.#store.keys(NAME), msOf(this.duration));
    const storage = all.map(([key, { count, resetMs }]) => ({
      key: this.parseKey(key),
      value: count,
      expiresAt: isForever(resetMs) ? null : dumpedAt + resetMs,
    }));
    return { version: 1, dumpedAt, storage };
  }

  /** Sets the counts of a dump. Returns `undefined`, and changes nothing, for a dump of another version. */
  restore<Detailed extends boolean = false>(dump: unknown, detailed?: Detailed): Restored<Detailed> | undefined {
    const { version, storage } = Object(dump) as Partial<Dump>;
    if (version !== 1) return undefined;
    const keys: Record<Outcome, unknown[]> = { invalid: [], expired: [], restored: [] };
    for (const item of Array.isArray(storage) ? (storage as unknown[]) : [])
      if (typeof item === "object" && item !== null) keys[this.#restoreOne(item)].push((item as { key?: unknown }).key);
      else keys.invalid.push("N/A");
    const told = (all: unknown[]) => (detailed === true ? { count: all.length, keys: all } : all.length);
    return Object.fromEntries(Object.entries(keys).map(([how, all]) => [how, told(all)])) as Restored<Detailed>;
  }

  #restoreOne({ key, value, expiresAt }: { key?: unknown; value?: unknown; expiresAt?: unknown }): Outcome {
    const isKey = typeof key === "string" || typeof key === "number";
    const endsAt = expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt;
    if (!(isKey && Number.isFinite(value)) || typeof endsAt !== "number" || Number.isNaN(endsAt)) return "invalid";
    const leftMs = Math.min(endsAt - Date.now(), LONGEST_MS);
    if (leftMs <= 0) return "expired";
    void this.counter.set(this.getKey(key), Math.trunc(value as number), leftMs);
    return "restored";
  }
}
