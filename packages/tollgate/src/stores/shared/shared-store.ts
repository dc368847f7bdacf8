import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Clock } from "../../core/clock.ts";
import { TollgateError } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import type { LimiterContext, SyncSpace } from "../../core/store.ts";
import { Capacity, type CapacityDefaults } from "../local/capacity.ts";
import { KeyHash, SECRET_WORDS } from "../local/key-hash.ts";
import type { CapacityOptions, LocalStore } from "../local/local-store.ts";
import { agreedClock, wallAtZeroMs } from "./agreed-clock.ts";
import { allocate, checkHandle, handleOf, type SharedStoreHandle } from "./shared-store-handle.ts";
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
import { openMemory, type SharedMemory } from "./shared-memory.ts";
import { PlanRows } from "./plan-rows.ts";
import { SharedSpace, type SpaceKeeper } from "./shared-space.ts";
import { SharedTable } from "./shared-table.ts";
import { TableDirectory } from "./table-directory.ts";

/** How many keys threads share, and what happens beyond. */
export interface SharedStoreOptions extends CapacityOptions {
  /** The keys that there is room for, of all limiters of the store: a whole number from 1 to 10 million. */
  readonly maxKeys: number;
  /**
   * The memory for all limiters of the store, in bytes, up to 4 GiB, in whole pages of 64 KiB: it cannot grow. By
   * default there is enough for limiters of one token bucket and for others of up to eight cells a key, 44 bytes a key
   * and 202 more, and 256 MiB at least. Only what is used is taken from the machine. A limiter for which it is too
   * little is refused with the number that would do.
   */
  readonly maxBytes?: number;
}

/** A store whose counts are in memory that threads share. */
export interface SharedStore extends LocalStore {
  /** Give it to other threads, for `sharedStore.attach`. It can be cloned by `postMessage`. */
  readonly handle: SharedStoreHandle;
  /** On which all threads agree: what limiters over this store go by unless they are given another. */
  readonly clock: Clock;
}

/** Makes shared stores. */
export interface SharedStores {
  (options: SharedStoreOptions): SharedStore;
  /**
   * The same store in another thread, or once more in this one.
   *
   * @throws TollgateError `ERR_STORE` when it is no handle, or one of another version.
   */
  attach(handle: SharedStoreHandle): SharedStore;
}

/** By default keys of up to so many cells fit in. */
const DEFAULT_WIDTH = 8;
/** By default there is so much at least: enough for 100,000 keys of a hundred cells. */
const LEAST_BYTES = 2 ** 28;

const DEFAULTS: CapacityDefaults = {
  maxBytes(maxKeys: number): number {
    const words = SharedTable.end(SharedTable.end(HEADER_WORDS, 1, maxKeys), DEFAULT_WIDTH, maxKeys);
    return Math.min(Math.max(words * 4, LEAST_BYTES), MOST_BYTES);
  },
  fewestBytes: HEADER_WORDS * 4,
  mostBytes: MOST_BYTES,
};

const OVERFLOW = ["share", "deny"] as const;

function create(options: SharedStoreOptions): SharedStore {
  const room = new Capacity("sharedStore", options, DEFAULTS);
  const bytes = allocate(Math.floor(room.maxBytes / 8) * 8);
  const memory = openMemory(bytes);
  const { words, numbers } = memory;
  words[MAX_KEYS_AT] = room.maxKeys;
  words[OVERFLOW_AT] = OVERFLOW.indexOf(room.overflow);
  words.set(room.secrets.next(), SECRET_AT);
  numbers[CLOCK_AT / 2] = wallAtZeroMs();
  words[LENGTH_AT] = words.length;
  words[VERSION_AT] = LAYOUT_VERSION;
  words[MAGIC_AT] = MAGIC;
  return new StoreInThread(memory, handleOf(bytes));
}

function attach(handle: SharedStoreHandle): SharedStore {
  const bytes = checkHandle(handle);
  return new StoreInThread(openMemory(bytes), handleOf(bytes));
}

/**
 * Keeps counts in memory that worker threads share: all that create a limiter of the same name and equal limits count the same keys, each
 * call decided in place, without locks and messages. A thread may be terminated at any moment: its call counts wholly or not at all, and
 * nobody waits for it.
 *
 * A set-associative table of keyed fingerprints of 64 bits in shared memory; what is kept of a key is replaced by compare-and-swap: a single
 * token bucket as 64 bits, other limits as a block that is published when it is whole.
 *
 * @throws TollgateError `ERR_OPTION` when an option is not what is expected, `ERR_STORE` when there is no such memory.
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

/** One thread's end of a store. */
export class StoreInThread implements SharedStore, SpaceKeeper {
  readonly kind = "sync";
  readonly keepsSpaces = true;
  /** Follows from the secret that was drawn for the memory: each attachment has other objects for the same bytes. */
  readonly identity: string;
  readonly maxKeys: number;
  readonly overflow: "share" | "deny";
  readonly handle: SharedStoreHandle;
  readonly clock: Clock;
  readonly secret: Int32Array;
  readonly rows: PlanRows;
  readonly #memory: SharedMemory;
  readonly #tables: TableDirectory;

  constructor(memory: SharedMemory, handle: SharedStoreHandle) {
    const { words, numbers, atomics } = memory;
    this.#memory = memory;
    this.handle = handle;
    this.maxKeys = words[MAX_KEYS_AT]!;
    this.overflow = OVERFLOW[words[OVERFLOW_AT]!] ?? "share";
    this.secret = words.slice(SECRET_AT, SECRET_AT + SECRET_WORDS);
    this.identity = identityOf(this.secret);
    this.clock = agreedClock(numbers[CLOCK_AT / 2]!);
    this.rows = new PlanRows(memory);
    this.#tables = new TableDirectory(memory, this.rows, this.maxKeys, atomics.add(words, THREADS_AT, 1) >>> 0);
  }

  /** Looks at every slot. */
  get size(): number {
    return this.#tables.all().reduce((sum, { slots }) => sum + slots.living, 0);
  }

  get maxBytes(): number {
    return this.#memory.words.byteLength;
  }

  /** Of the memory that was reserved, what its tables take: the overflow buckets of each among it. */
  get bytes(): number {
    return this.#tables.bytes;
  }

  get overflowCount(): number {
    return Number(this.#memory.atomics.load(this.#memory.pairs, OVERFLOWED_AT / 2));
  }

  /** @throws TollgateError `ERR_NAME` for a limiter without a name, `ERR_LIMITS` when there is no memory for its limits. */
  open(plan: Plan, context: LimiterContext): SyncSpace {
    if (typeof plan.scope !== "string") {
      throw new TollgateError(
        "ERR_NAME",
        "name: expected a name, by which all threads know the limiter, got undefined",
      );
    }
    return new SharedSpace(plan, context, this, this.#tables.tableOf(new CompiledPlan(plan, 0).width));
  }

  /** Nothing runs in the background. */
  close(): void {}

  [Symbol.dispose](): void {
    this.close();
  }

  countOverflow(): void {
    this.#memory.atomics.add(this.#memory.pairs, OVERFLOWED_AT / 2, 1n);
  }
}

/** Tells nothing of the secret. */
function identityOf(secret: Int32Array): string {
  const hash = new KeyHash(secret);
  hash.hash("identity");
  return `sharedStore ${hash.words.join(" ")}`;
}
