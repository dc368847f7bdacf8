import type { SyncBlocks } from "../../core/blocks.ts";
import { type Clock, readUs } from "../../core/clock.ts";
import type { Plan, Scope } from "../../core/plan.ts";
import type { LimiterContext, SyncSpace } from "../../core/store.ts";
import { Capacity, type CapacityDefaults, HEAP_DEFAULTS } from "../local/capacity.ts";
import { KeyBlocks } from "../local/key-blocks.ts";
import { drawSecret } from "../local/key-hash.ts";
import { KeyTexts } from "../local/key-texts.ts";
import {
  CALLS_PER_SWEEP_STEP,
  CAPACITY_OPTION_NAMES,
  type CapacityOptions,
  type LocalStore,
} from "../local/local-store.ts";
import { DEFAULT_WIDTH } from "../local/table-size.ts";
import { MOST_RESETS, ownHeaderWords } from "../shared/memory-layout.ts";
import { SlotStore, widthOf } from "../shared/slot-store.ts";
import { PrivateMemory } from "./private-memory.ts";
import { PrivatePlans } from "./private-plans.ts";
import { PrivateTables } from "./private-tables.ts";

/** How many keys a table store has slots for, and in how much memory. */
export interface TableStoreOptions extends CapacityOptions {
  /**
   * How many keys of all limiters the store has slots for: a whole number from 1 to 10 million. Creating a limiter
   * allocates their memory: about 44 bytes a key for one token bucket, otherwise 18 more for every cell. Limiters whose
   * limits have the same number of cells share this memory.
   */
  readonly maxKeys: number;
  /**
   * The memory for all limiters of the store, in bytes: a whole number from 65,536 to 2^40. The default is at least 256
   * MiB, and enough for limiters of one token bucket together with limiters of up to eight cells a key. Creating a
   * limiter that does not fit throws an error with the number of bytes that it needs. Limits chosen per call then
   * get a small table, and their other keys share overflow buckets, or are denied.
   */
  readonly maxBytes?: number;
}

const NAMES: Readonly<Record<keyof TableStoreOptions, true>> = CAPACITY_OPTION_NAMES;

const DEFAULTS: CapacityDefaults = {
  ...HEAP_DEFAULTS,
  names: NAMES,
  maxBytes(maxKeys: number): number {
    const words = PrivateTables.bytes(maxKeys, 1) + PrivateTables.bytes(maxKeys, DEFAULT_WIDTH);
    return Math.max(HEAP_DEFAULTS.maxBytes(maxKeys), 2 * ownHeaderWords(MOST_RESETS) * 4 + words);
  },
};

/**
 * Keeps counts in a table of fixed size: a set-associative table of keyed 64-bit fingerprints. It keeps no key strings,
 * except up to 4,096 recent ones, and no object or timer per key. The slot of an idle key is free for another, so no
 * sweep is needed. It is the table of `sharedStore`, in memory of one thread.
 *
 * Two keys whose fingerprints collide share a count. Fingerprints are HalfSipHash-1-3 under a random secret. Among ten
 * million keys a collision has a probability of 1 in 370,000, and no client can choose keys that collide.
 *
 * @throws TollgateError `ERR_OPTION` if an option is unknown, `maxKeys` is not a whole number from 1 to 10 million,
 * `maxBytes` not one from 65,536 to 2^40, or `overflow` not a policy.
 * @example
 * ```ts
 * import { createLimiter, perMinute } from "tollgate";
 * import { tableStore } from "tollgate/table";
 *
 * const store = tableStore({ maxKeys: 100_000 });
 * const limiter = createLimiter({ name: "api", limits: [perMinute(2)], store });
 * console.log(limiter.allow("ann"), limiter.allow("ann"), limiter.allow("ann")); // true true false
 * console.log(store.size, store.overflowCount); // 1 0
 * ```
 */
export function tableStore(options: TableStoreOptions): LocalStore {
  return new TableStore(options);
}

class TableStore extends SlotStore {
  readonly label = "table";
  readonly #capacity: Capacity;
  readonly #tables: PrivateTables;
  /** No key may go that still counts by the clock of a limiter. */
  readonly #clocks = new Set<Clock>();
  readonly #blocks: KeyBlocks;
  #secret: Int32Array | undefined;
  /** Limiters without a name own their keys by a symbol. */
  readonly #symbols = new Map<symbol, string>();
  #nextSymbol = 0;
  #callsUntilSweep = CALLS_PER_SWEEP_STEP;

  constructor(options: TableStoreOptions) {
    const capacity = new Capacity("tableStore", options, DEFAULTS);
    const plans: PrivatePlans = new PrivatePlans(() => this.#numbersInUse());
    const tables = new PrivateTables(capacity, plans);
    const { mostResets } = capacity;
    const memory = new PrivateMemory(ownHeaderWords(mostResets));
    super({ memory, mostResets, plans, descriptions: plans, tables });
    this.#capacity = capacity;
    this.#tables = tables;
    this.#blocks = new KeyBlocks(capacity, new KeyTexts());
  }

  get maxKeys(): number {
    return this.#capacity.maxKeys;
  }

  get maxBytes(): number {
    return this.#capacity.maxBytes;
  }

  get overflow(): "share" | "deny" {
    return this.#capacity.overflow;
  }

  /** With the blocked keys. */
  override get size(): number {
    return super.size + this.#capacity.size;
  }

  /** @throws TollgateError `ERR_LIMITS` if fixed limits do not fit into the bytes left. */
  open(plan: Plan, context: LimiterContext): SyncSpace {
    this.#capacity.clusterWarning.opened(context);
    const own = { ...plan, scope: this.#textOf(plan.scope) };
    this.#clocks.add(context.clock);
    if (context.choosesLimits !== true) this.#tables.makeFor(widthOf(plan));
    return this.spaceOf(own, context);
  }

  blocks(scope: Scope, limiter: string, { clock }: LimiterContext): SyncBlocks {
    return this.#blocks.of(scope, limiter, clock);
  }

  override maintain(): void {
    if (this.#blocks.some[0] === 0) return;
    this.#callsUntilSweep -= 1;
    if (this.#callsUntilSweep > 0) return;
    this.#callsUntilSweep = CALLS_PER_SWEEP_STEP;
    this.#blocks.sweepStep();
  }

  /** A clock that fails may be at any time. */
  protected override earliestUs(nowUs: number): number {
    if (this.#clocks.size <= 1) return nowUs;
    let earliestUs = nowUs;
    for (const clock of this.#clocks) earliestUs = Math.min(earliestUs, readOr(clock, Number.NEGATIVE_INFINITY));
    return earliestUs;
  }

  protected get secret(): Int32Array {
    this.#secret ??= drawSecret();
    return this.#secret;
  }

  protected get blockedCount(): number {
    return this.#blocks.inForce;
  }

  /** No name has a line feed. */
  #textOf(scope: Scope): string {
    if (typeof scope === "string") return scope;
    const known = this.#symbols.get(scope);
    if (known !== undefined) return known;
    this.#nextSymbol += 1;
    const text = `${this.#nextSymbol}\n`;
    this.#symbols.set(scope, text);
    return text;
  }

  #numbersInUse(): ReadonlySet<number> {
    const numbers = this.#tables.numbersInUse();
    for (const { number } of this.opened) numbers.add(number);
    const scopes = new Set([...this.opened].map(({ plan }) => plan.scope));
    for (const [symbol, text] of this.#symbols) if (!scopes.has(text)) this.#symbols.delete(symbol);
    return numbers;
  }
}

function readOr(clock: Clock, failed: number): number {
  try {
    return readUs(clock);
  } catch {
    return failed;
  }
}
