import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import { TollgateError } from "../../core/errors.ts";
import type { Plan, Scope } from "../../core/plan.ts";
import type { LimiterContext, SyncSpace } from "../../core/store.ts";
import { Capacity, type CapacityDefaults, HEAP_DEFAULTS } from "../local/capacity.ts";
import type { HoldingSpace } from "../local/local-hold.ts";
import { LocalSpace } from "../local/local-space.ts";
import { CALLS_PER_STEP, type CapacityOptions, type LocalStore } from "../local/local-store.ts";
import { PlanTable } from "../local/plan-table.ts";
import type { SpaceKeeper } from "../local/space-keeper.ts";
import { PlanSlots } from "./plan-slots.ts";
import { SlotHold } from "./slot-hold.ts";
import { SlotTable } from "./slot-table.ts";
import { Slots } from "./table-slots.ts";

/** How many keys a table has room for. */
export interface TableStoreOptions extends CapacityOptions {
  /**
   * The keys that there is room for, of all limiters of the store: a whole number from 1 to 10 million. Their memory is
   * allocated when a limiter is made: about 40 bytes a key for one token bucket, and 18 more for every other cell. Limiters
   * whose limits have the same number of cells share it.
   */
  readonly maxKeys: number;
  /**
   * The memory for all limiters of the store, in bytes: a whole number from 65,536 to 2^40. By default there is enough
   * for limiters of one token bucket and for others of up to eight cells a key, and 256 MiB at least. A limiter for
   * which it is too little is refused with the number that would do. Limits chosen per call for whose width it is too
   * little have no room for keys of their own.
   */
  readonly maxBytes?: number;
}

/** By default a quarter more than the slots take: for overflow buckets and front caches. */
const SPARE = 1.25;
/** By default keys of up to so many cells fit in. */
const DEFAULT_WIDTH = 8;

const DEFAULTS: CapacityDefaults = {
  ...HEAP_DEFAULTS,
  maxBytes: (maxKeys: number): number =>
    Math.max(
      HEAP_DEFAULTS.maxBytes(maxKeys),
      Math.ceil(SPARE * (Slots.bytes(maxKeys, 1) + Slots.bytes(maxKeys, DEFAULT_WIDTH))),
    ),
};

/**
 * Keeps counts in a table of fixed size: a set-associative table of 64-bit keyed fingerprints, without the keys
 * themselves (but for up to 4,096 recent ones) and without an object or a timer for any. A key that is as good as new is free space: nothing has to be swept.
 *
 * Two keys whose fingerprints collide share a count. Fingerprints are HalfSipHash-1-3 under a random secret: among ten
 * million keys that happens with a probability of 1 in 370,000, and no client can choose such keys.
 *
 * @throws TollgateError `ERR_OPTION` when `maxKeys` is no whole number from 1 to 10 million, `maxBytes` none from
 * 65,536 to 2^40, or `overflow` no policy.
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

class TableStore implements LocalStore, SpaceKeeper {
  readonly kind = "sync";
  readonly capacity: Capacity;
  /** By the number of cells that a key needs. */
  readonly #tables = new Map<number, SlotTable>();
  /** One without slots, for plans of widths for which there were no bytes. */
  #withoutSlots: SlotTable | undefined;
  /** All of these. */
  readonly #everyTable: SlotTable[] = [];
  /** The one that is looked at next where bytes are short. */
  #next = 0;
  /** Whether some table has had many plans, so that it has to be looked after. */
  #crowded = false;
  readonly #plans = new Map<Scope, Map<string, PlanSlots>>();

  constructor(options: TableStoreOptions) {
    this.capacity = new Capacity("tableStore", options, DEFAULTS);
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

  /** @throws TollgateError `ERR_LIMITS` when there are not enough bytes for limits that are fixed. */
  open(plan: Plan, context: LimiterContext): SyncSpace {
    if (context.choosesLimits !== true) this.#tableFor(widthOf(plan), false);
    return new LocalSpace(plan, context, this);
  }

  /** Nothing runs in the background. */
  close(): void {}

  [Symbol.dispose](): void {
    this.close();
  }

  find({ scope, id }: Plan): PlanSlots | undefined {
    return this.#plans.get(scope)?.get(id);
  }

  make(plan: Plan, nowUs: number, isChosenPerCall: boolean): PlanSlots {
    const known = this.find(plan);
    if (known !== undefined) return known;
    const table = this.#tableFor(widthOf(plan), isChosenPerCall);
    const made = new PlanSlots(plan, nowUs, table, (letGo) => this.#retire(letGo));
    if (isChosenPerCall && !made.fits(PlanTable.FIXED_BYTES)) {
      made.retire();
      return made;
    }
    made.charge(PlanTable.FIXED_BYTES);
    made.join();
    if (table.isCrowded) this.#crowded = true;
    const plans = this.#plans.get(plan.scope) ?? new Map<string, PlanSlots>();
    this.#plans.set(plan.scope, plans.set(plan.id, made));
    return made;
  }

  step(): void {
    const { capacity } = this;
    capacity.callsUntilStep = CALLS_PER_STEP;
    if (this.#crowded) for (const table of this.#tables.values()) table.step();
    if (!capacity.isShortOfBytes) return;
    this.#next = (this.#next + 1) % Math.max(1, this.#everyTable.length);
    this.#everyTable[this.#next]?.letGoOfSome();
  }

  inserted(): void {}

  hold(space: HoldingSpace, key: string): SlotHold {
    return new SlotHold(space, key);
  }

  /** @throws TollgateError `ERR_LIMITS` when there are not enough bytes for limits that are fixed. */
  #tableFor(width: number, isChosenPerCall: boolean): SlotTable {
    const known = this.#tables.get(width);
    if (known !== undefined) return known;
    const { capacity } = this;
    const bytes = Slots.bytes(capacity.maxKeys, width);
    if (isChosenPerCall && bytes > capacity.bytesLeft) return this.#tableWithoutSlots();
    if (bytes > capacity.bytesLeftInAll) throw tooManyBytes(width, bytes, capacity);
    const table = new SlotTable(width, capacity);
    capacity.bytes += bytes;
    this.#tables.set(width, table);
    this.#everyTable.push(table);
    return table;
  }

  #tableWithoutSlots(): SlotTable {
    if (this.#withoutSlots !== undefined) return this.#withoutSlots;
    this.#withoutSlots = new SlotTable(1, this.capacity, 0);
    this.#everyTable.push(this.#withoutSlots);
    return this.#withoutSlots;
  }

  #retire({ plan: { scope, id } }: PlanSlots): void {
    const plans = this.#plans.get(scope);
    plans?.delete(id);
    if (plans?.size === 0) this.#plans.delete(scope);
  }
}

function widthOf(plan: Plan): number {
  return new CompiledPlan(plan, 0).width;
}

function tooManyBytes(width: number, bytes: number, capacity: Capacity): TollgateError {
  return new TollgateError(
    "ERR_LIMITS",
    `limits: expected slots of at most ${capacity.bytesLeftInAll} bytes, which are left of maxBytes (${capacity.maxBytes}), got ${bytes} bytes ` +
      `for ${capacity.maxKeys} keys of ${width} cells; pass tableStore({ maxBytes: ${capacity.bytes + bytes} }) or more, fewer maxKeys or limits, ` +
      "a coarser resolution, or use memoryStore()",
  );
}
