import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { SyncBlocks } from "../../core/blocks.ts";
import { TollgateError } from "../../core/errors.ts";
import type { Plan, Scope } from "../../core/plan.ts";
import type { LimiterContext, SyncSpace } from "../../core/store.ts";
import type { StoreReadings } from "../../core/store-readings.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { Capacity, type CapacityDefaults, HEAP_DEFAULTS } from "../local/capacity.ts";
import { KeyBlocks, readingsOf } from "../local/key-blocks.ts";
import { KeyHash } from "../local/key-hash.ts";
import { KeyTexts } from "../local/key-texts.ts";
import { LocalSpace } from "../local/local-space.ts";
import {
  CALLS_PER_SWEEP_STEP,
  CAPACITY_OPTION_NAMES,
  type CapacityOptions,
  type LocalStore,
} from "../local/local-store.ts";
import { PlanTable } from "../local/plan-table.ts";
import { Relatives } from "../local/relatives.ts";
import { ResetLog } from "../local/reset-log.ts";
import type { SpaceStore } from "../local/space-store.ts";
import { DEFAULT_WIDTH } from "../local/table-size.ts";
import { PlanSlots } from "./plan-slots.ts";
import { SlotTable } from "./slot-table.ts";
import { TableSlots } from "./table-slots.ts";

/** How many keys a table store has slots for, and in how much memory. */
export interface TableStoreOptions extends CapacityOptions {
  /**
   * How many keys of all limiters the store has slots for: a whole number from 1 to 10 million. Creating a limiter
   * allocates their memory: about 40 bytes a key for one token bucket, and 18 more for every other cell. Limiters whose
   * limits have the same number of cells share this memory.
   */
  readonly maxKeys: number;
  /**
   * The memory for all limiters of the store, in bytes: a whole number from 65,536 to 2^40. The default is at least 256
   * MiB, and enough for limiters of one token bucket together with limiters of up to eight cells a key. Creating a
   * limiter that does not fit throws an error with the number of bytes that it needs. If limits chosen per call do not
   * fit, their keys get no slots of their own.
   */
  readonly maxBytes?: number;
}

/** The default exceeds the slots' memory by a quarter, for overflow buckets and front caches. */
const SPARE = 1.25;

const NAMES: Readonly<Record<keyof TableStoreOptions, true>> = CAPACITY_OPTION_NAMES;

const DEFAULTS: CapacityDefaults = {
  ...HEAP_DEFAULTS,
  names: NAMES,
  maxBytes: (maxKeys: number): number =>
    Math.max(
      HEAP_DEFAULTS.maxBytes(maxKeys),
      Math.ceil(SPARE * (TableSlots.bytes(maxKeys, 1) + TableSlots.bytes(maxKeys, DEFAULT_WIDTH))),
    ),
};

/**
 * Keeps counts in a table of fixed size: a set-associative table of keyed 64-bit fingerprints. It keeps no key strings,
 * except up to 4,096 recent ones, and no object or timer per key. The slot of an idle key is free for another, so no
 * sweep is needed.
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

class TableStore implements LocalStore, SpaceStore {
  readonly kind = "sync";
  readonly label = "table";
  readonly capacity: Capacity;
  readonly relatives: Relatives<PlanTable>;
  readonly resetLog: ResetLog;
  /** By width, the number of cells of a key. */
  readonly #tables = new Map<number, SlotTable>();
  /** A table without slots, for plans of widths that did not fit. */
  #withoutSlots: SlotTable | undefined;
  /** All of these tables. */
  readonly #allTables: SlotTable[] = [];
  /** The table whose plans are checked next when bytes are short. */
  #nextTable = 0;
  /** Made by the first call: some runtimes draw no secrets before. */
  #hash: KeyHash | undefined;
  readonly #plans = new Map<Scope, Map<string, PlanSlots>>();
  readonly #blocks: KeyBlocks;

  constructor(options: TableStoreOptions) {
    this.capacity = new Capacity("tableStore", options, DEFAULTS);
    this.#blocks = new KeyBlocks(this.capacity, new KeyTexts(this.capacity.secrets));
    this.relatives = new Relatives(this);
    this.resetLog = new ResetLog(this.capacity);
  }

  get maxKeys(): number {
    return this.capacity.maxKeys;
  }

  get size(): number {
    return this.capacity.size;
  }

  get maxBytes(): number {
    return this.capacity.maxBytes;
  }

  get bytes(): number {
    return this.capacity.bytes;
  }

  get overflowCount(): number {
    return this.capacity.overflowCount;
  }

  readings(): StoreReadings {
    return readingsOf(this.capacity, this.#blocks);
  }

  /** @throws TollgateError `ERR_LIMITS` if fixed limits do not fit into the bytes left. */
  open(plan: Plan, context: LimiterContext): SyncSpace {
    if (context.choosesLimits !== true) this.#tableFor(widthOf(plan), false);
    return new LocalSpace(plan, context, this);
  }

  blocks(scope: Scope, limiter: string, { clock }: LimiterContext): SyncBlocks {
    return this.#blocks.of(scope, limiter, clock);
  }

  /** Does nothing: the store has no timers. */
  close(): void {}

  [Symbol.dispose](): void {
    this.close();
  }

  find({ scope, id }: Plan): PlanSlots | undefined {
    return this.#plans.get(scope)?.get(id);
  }

  make(plan: Plan, now: TimeCell, isChosenPerCall: boolean): PlanSlots {
    const known = this.find(plan);
    if (known !== undefined) return known;
    const table = this.#tableFor(widthOf(plan), isChosenPerCall);
    const made = new PlanSlots(plan, now, table, this.#keyHash(), (removed) => this.#forget(removed));
    if (!this.capacity.fitsList(PlanTable.FIXED_BYTES, isChosenPerCall)) {
      made.retire();
      return made;
    }
    made.charge(PlanTable.FIXED_BYTES);
    made.addToTable();
    const plans = this.#plans.get(plan.scope) ?? new Map<string, PlanSlots>();
    this.#plans.set(plan.scope, plans.set(plan.id, made));
    return made;
  }

  sweepStep(): void {
    const { capacity } = this;
    capacity.callsUntilSweep = CALLS_PER_SWEEP_STEP;
    this.#blocks.sweepStep();
    for (const table of this.#allTables) table.sweepStep();
    capacity.notify();
    if (!capacity.isShortOfBytes) return;
    this.#nextTable = (this.#nextTable + 1) % Math.max(1, this.#allTables.length);
    this.#allTables[this.#nextTable]?.removeSomePlans();
  }

  inserted(): void {}

  placeHashOf(key: string): number {
    const hash = this.#keyHash();
    hash.hash(key);
    return hash.words[1]!;
  }

  #keyHash(): KeyHash {
    this.#hash ??= new KeyHash(this.capacity.secrets.next());
    return this.#hash;
  }

  /** @throws TollgateError `ERR_LIMITS` if fixed limits do not fit into the bytes left. */
  #tableFor(width: number, isChosenPerCall: boolean): SlotTable {
    const known = this.#tables.get(width);
    if (known !== undefined) return known;
    const { capacity } = this;
    const bytes = TableSlots.bytes(capacity.maxKeys, width);
    if (isChosenPerCall && bytes > capacity.bytesLeft) return this.#tableWithoutSlots();
    if (bytes > capacity.bytesLeftInAll) throw tooFewBytesError(width, bytes, capacity);
    const table = new SlotTable(width, capacity);
    capacity.bytes += bytes;
    this.#tables.set(width, table);
    this.#allTables.push(table);
    return table;
  }

  #tableWithoutSlots(): SlotTable {
    if (this.#withoutSlots !== undefined) return this.#withoutSlots;
    this.#withoutSlots = new SlotTable(1, this.capacity, 0);
    this.#allTables.push(this.#withoutSlots);
    return this.#withoutSlots;
  }

  #forget({ plan: { scope, id } }: PlanSlots): void {
    const plans = this.#plans.get(scope);
    plans?.delete(id);
    if (plans?.size === 0) this.#plans.delete(scope);
  }
}

function widthOf(plan: Plan): number {
  return new CompiledPlan(plan, 0).width;
}

function tooFewBytesError(width: number, bytes: number, capacity: Capacity): TollgateError {
  return new TollgateError(
    "ERR_LIMITS",
    `limits: expected slots of at most ${capacity.bytesLeftInAll} bytes, ` +
      `which are left of maxBytes (${capacity.maxBytes}), got ${bytes} bytes ` +
      `for ${capacity.maxKeys} keys of ${width} cells; pass ` +
      `tableStore({ maxBytes: ${capacity.bytes + bytes} }) or more, fewer maxKeys or limits, a coarser resolution, ` +
      "or use memoryStore()",
  );
}
