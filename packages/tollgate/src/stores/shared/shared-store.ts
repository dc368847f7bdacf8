import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Clock } from "../../core/clock.ts";
import { TollgateError } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import type { LimiterContext, SyncSpace } from "../../core/store.ts";
import { Capacity, type CapacityDefaults } from "../local/capacity.ts";
import { ClusterWarning } from "../local/cluster-warning.ts";
import { KeyHash, SECRET_WORDS } from "../local/key-hash.ts";
import { CAPACITY_OPTION_NAMES, type CapacityOptions, type LocalStore } from "../local/local-store.ts";
import { DEFAULT_WIDTH } from "../local/table-size.ts";
import { agreedClock, wallAtZeroMs } from "./agreed-clock.ts";
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
  OVERFLOWED_AT,
  SECRET_AT,
  THREADS_AT,
  VERSION_AT,
} from "./memory-layout.ts";
import { PlanRows } from "./plan-rows.ts";
import { openMemory, type SharedMemory } from "./shared-memory.ts";
import { SharedSpace, type SharedSpaceStore } from "./shared-space.ts";
import { allocate, checkHandle, handleOf, type SharedStoreHandle } from "./shared-store-handle.ts";
import { SharedTable } from "./shared-table.ts";
import { TableDirectory } from "./table-directory.ts";

/** How many keys threads share, and what happens beyond. */
export interface SharedStoreOptions extends CapacityOptions {
  /** How many keys of all limiters the store has slots for: a whole number from 1 to 10 million. */
  readonly maxKeys: number;
  /**
   * The memory for all limiters of the store, in bytes, up to 4 GiB, in whole pages of 64 KiB. It cannot grow. The
   * default is at least 256 MiB, and enough for limiters of one token bucket (44 bytes a key) together with limiters of
   * up to eight cells a key (202 bytes). The operating system provides only the pages that are used. Creating a limiter
   * that does not fit throws an error with the number of bytes that it needs.
   */
  readonly maxBytes?: number;
}

/** A store whose counts are in memory that threads share. */
export interface SharedStore extends LocalStore {
  /** Other threads pass it to `sharedStore.attach`. `postMessage` can clone it. */
  readonly handle: SharedStoreHandle;
  /** A clock on which all threads agree: the default of limiters over this store. */
  readonly clock: Clock;
}

/** Makes shared stores. */
export interface SharedStores {
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
    const words = SharedTable.end(SharedTable.end(HEADER_WORDS, 1, maxKeys), DEFAULT_WIDTH, maxKeys);
    return Math.min(Math.max(words * 4, LEAST_BYTES), MOST_BYTES);
  },
  fewestBytes: HEADER_WORDS * 4,
  mostBytes: MOST_BYTES,
};

const OVERFLOW = ["share", "deny"] as const;

function create(options: SharedStoreOptions): SharedStore {
  const capacity = new Capacity("sharedStore", options, DEFAULTS);
  const bytes = allocate(Math.floor(capacity.maxBytes / 8) * 8);
  const memory = openMemory(bytes);
  const { words, numbers } = memory;
  words[MAX_KEYS_AT] = capacity.maxKeys;
  words[OVERFLOW_AT] = OVERFLOW.indexOf(capacity.overflow);
  words.set(capacity.secrets.next(), SECRET_AT);
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
export const sharedStore: SharedStores = Object.assign(create, { attach });

/** One thread's attachment to a store. */
export class StoreInThread implements SharedStore, SharedSpaceStore {
  readonly kind = "sync";
  readonly keepsSpaces = true;
  /** Derived from the memory's secret, because each attachment has other objects for the same bytes. */
  readonly identity: string;
  readonly maxKeys: number;
  readonly overflow: "share" | "deny";
  readonly handle: SharedStoreHandle;
  readonly clock: Clock;
  readonly rows: PlanRows;
  readonly #secret: Int32Array;
  readonly #memory: SharedMemory;
  readonly #clusterWarning: ClusterWarning;
  readonly #tables: TableDirectory;

  constructor(
    memory: SharedMemory,
    handle: SharedStoreHandle,
    clusterWarning: ClusterWarning = new ClusterWarning("sharedStore", true),
  ) {
    const { words, numbers, atomics } = memory;
    this.#memory = memory;
    this.#clusterWarning = clusterWarning;
    this.handle = handle;
    this.maxKeys = words[MAX_KEYS_AT]!;
    this.overflow = OVERFLOW[words[OVERFLOW_AT]!] ?? "share";
    this.#secret = words.slice(SECRET_AT, SECRET_AT + SECRET_WORDS);
    this.identity = identityOf(this.#secret);
    this.clock = agreedClock(numbers[CLOCK_AT / 2]!);
    this.rows = new PlanRows(memory);
    this.#tables = new TableDirectory(memory, this.rows, this.maxKeys, atomics.add(words, THREADS_AT, 1) >>> 0);
  }

  /** A getter, because loggers write enumerable properties. */
  get secret(): Int32Array {
    return this.#secret;
  }

  /** Scans all slots. */
  get size(): number {
    return this.#tables.all().reduce((sum, { keys: { slots } }) => sum + slots.keyCount, 0);
  }

  get maxBytes(): number {
    return this.#memory.words.byteLength;
  }

  /** The part of the reserved memory that the tables take, with their overflow buckets. */
  get bytes(): number {
    return this.#tables.bytes;
  }

  get overflowCount(): number {
    return Number(this.#memory.atomics.load(this.#memory.pairs, OVERFLOWED_AT / 2));
  }

  /**
   * @throws TollgateError `ERR_NAME` for a limiter without a name, `ERR_LIMITS` if there is not enough memory for its
   * limits.
   */
  open(plan: Plan, context: LimiterContext): SyncSpace {
    if (typeof plan.scope !== "string") {
      throw new TollgateError(
        "ERR_NAME",
        "name: expected a name, by which all threads identify the limiter, got undefined",
      );
    }
    this.#clusterWarning.opened(context);
    return new SharedSpace(plan, context, this, this.#tables.tableOf(widthOf(plan)));
  }

  /** Does nothing: the store has no timers. */
  close(): void {}

  [Symbol.dispose](): void {
    this.close();
  }

  countOverflow(): void {
    this.#memory.atomics.add(this.#memory.pairs, OVERFLOWED_AT / 2, 1n);
  }
}

/** A slot itself has space for one cell, if that is a tick. All other cells lie in blocks of at least two. */
function widthOf(plan: Plan): number {
  const { ticks, width } = new CompiledPlan(plan, 0);
  return ticks === undefined ? Math.max(2, width) : 1;
}

/** A one-way hash: it does not reveal the secret. */
function identityOf(secret: Int32Array): string {
  const hash = new KeyHash(secret);
  hash.hash("identity");
  return `sharedStore ${hash.words.join(" ")}`;
}
