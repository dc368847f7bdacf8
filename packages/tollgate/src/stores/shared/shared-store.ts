import { Capacity, type CapacityDefaults } from "../local/capacity.ts";
import { drawSecret } from "../local/key-hash.ts";
import { CAPACITY_OPTION_NAMES, type CapacityOptions } from "../local/local-store.ts";
import { DEFAULT_WIDTH } from "../local/table-size.ts";
import { wallAtZeroMs } from "./agreed-clock.ts";
import {
  CLOCK_AT,
  HEADER_WORDS,
  LAYOUT_VERSION,
  LENGTH_AT,
  MAGIC,
  MAGIC_AT,
  MAX_KEYS_AT,
  MOST_BYTES,
  OVERFLOW_AT,
  SECRET_AT,
  VERSION_AT,
} from "./memory-layout.ts";
import { openMemory } from "./shared-memory.ts";
import { allocate, checkHandle, handleOf, type SharedStoreHandle } from "./shared-store-handle.ts";
import { SharedTable } from "./shared-table.ts";
import { OVERFLOW, type SharedStore, StoreInThread } from "./store-in-thread.ts";
import { WRITE_SLOTS } from "./write-slots.ts";

/** How many keys threads share, and what happens beyond. */
export interface SharedStoreOptions extends CapacityOptions {
  /** How many keys of all limiters the store has slots for: a whole number from 1 to 10 million. */
  readonly maxKeys: number;
  /**
   * The memory for all limiters of the store, in bytes, up to 4 GiB, in whole pages of 64 KiB. It cannot grow. The
   * default is at least 256 MiB, and enough for limiters of one token bucket (44 bytes a key) together with limiters of
   * up to eight cells a key (202 bytes). The operating system provides only the pages that are used. Creating a limiter
   * that does not fit throws an error with the number of bytes that it needs. Keys of limits chosen per call that do
   * not fit are denied.
   */
  readonly maxBytes?: number;
}

/** Makes shared stores. */
export interface CreateSharedStore {
  (options: SharedStoreOptions): SharedStore;
  /**
   * Opens the same store in another thread, or again in this one.
   *
   * @throws TollgateError `ERR_STORE` if this is not a handle, or comes from another version of Tollgate.
   */
  attach(handle: SharedStoreHandle): SharedStore;
}

/** The least default: enough for 100,000 keys of a hundred cells. */
const LEAST_BYTES = 2 ** 28;

const NAMES: Readonly<Record<keyof SharedStoreOptions, true>> = CAPACITY_OPTION_NAMES;

const DEFAULTS: CapacityDefaults = {
  names: NAMES,
  maxBytes(maxKeys: number): number {
    const shapeOf = (width: number) => ({ width, maxKeys, writeSlots: WRITE_SLOTS });
    const words = SharedTable.end(SharedTable.end(HEADER_WORDS, shapeOf(1)), shapeOf(DEFAULT_WIDTH));
    return Math.min(Math.max(words * 4, LEAST_BYTES), MOST_BYTES);
  },
  fewestBytes: HEADER_WORDS * 4,
  mostBytes: MOST_BYTES,
};

function create(options: SharedStoreOptions): SharedStore {
  const capacity = new Capacity("sharedStore", options, DEFAULTS);
  const bytes = allocate(Math.floor(capacity.maxBytes / 8) * 8);
  const memory = openMemory(bytes);
  const { words, numbers } = memory;
  words[MAX_KEYS_AT] = capacity.maxKeys;
  words[OVERFLOW_AT] = OVERFLOW.indexOf(capacity.overflow);
  words.set(drawSecret(), SECRET_AT);
  numbers[CLOCK_AT / 2] = wallAtZeroMs();
  words[LENGTH_AT] = words.length;
  words[VERSION_AT] = LAYOUT_VERSION;
  words[MAGIC_AT] = MAGIC;
  return new StoreInThread(memory, handleOf(bytes), capacity.clusterWarning);
}

function attach(handle: SharedStoreHandle): SharedStore {
  const bytes = checkHandle(handle);
  return new StoreInThread(openMemory(bytes), handleOf(bytes));
}

/**
 * Keeps counts in memory that worker threads share. Limiters of the same name and equal limits share their keys across
 * threads. Each thread decides its calls in place, without locks or messages. A thread may be terminated at any moment:
 * its call counts wholly or not at all, and no other thread waits for it.
 *
 * The store is a set-associative table of keyed 64-bit fingerprints. A compare-and-swap replaces the cells of a key: 64
 * bits for a single token bucket, the name of a complete block for other limits.
 *
 * @throws TollgateError `ERR_OPTION` if an option is invalid, `ERR_STORE` if the shared memory cannot be allocated.
 * @example
 * ```ts
 * import { createLimiter, perMinute } from "tollgate";
 * import { sharedStore } from "tollgate/shared";
 *
 * const store = sharedStore({ maxKeys: 100_000 });
 * // new Worker(url, { workerData: { limits: store.handle } }), and there:
 * const inWorker = sharedStore.attach(structuredClone(store.handle));
 *
 * const limits = [perMinute(2)];
 * const here = createLimiter({ name: "api", limits, store });
 * const there = createLimiter({ name: "api", limits, store: inWorker });
 * console.log(here.allow("ann"), there.allow("ann"), here.allow("ann")); // true true false
 * ```
 */
export const sharedStore: CreateSharedStore = Object.assign(create, { attach });
