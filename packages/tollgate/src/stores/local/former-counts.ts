import { carryOverBucket, carryOverKey } from "../../algorithms/carry-over.ts";
import type { Plan } from "../../core/plan.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { firstPlan } from "./first-plan.ts";
import type { PlanTable } from "./plan-table.ts";
import { PlanView } from "./plan-view.ts";
import { type FormerCount, insertRest, restOf } from "./rest.ts";
import type { SpaceStore } from "./space-store.ts";

/** How many lists of first numbers a space remembers. */
const MOST_KEPT = 64;

/** The relatives' rows of a key, copied. Idle rows count as forgotten: they are dropped before there is another row. */
export function formerRows(table: PlanTable, key: string, now: TimeCell, dropsIdle: boolean): FormerCount[] {
  const found: FormerCount[] = [];
  for (const relative of table.relatives?.tablesWith(key) ?? []) {
    relative.reach(now);
    const base = relative.locateOnce(key);
    if (base < 0) continue;
    const { compiled, cells } = relative;
    if (!compiled.isIdle(cells, base, now)) {
      found.push({ table: relative, compiled, cells: cells.slice(base, base + compiled.width), base: 0 });
    } else if (dropsIdle) relative.drop(key);
  }
  return found;
}

/** The relatives' overflow buckets of a key that are in use, themselves. Idle ones count as forgotten, as rows do. */
export function formerBuckets(table: PlanTable, key: string, now: TimeCell, dropsIdle: boolean): FormerCount[] {
  const found: FormerCount[] = [];
  const bucket = table.capacity.bucketNumbers.of(key);
  for (const relative of table.relatives?.tablesInBucket(bucket) ?? []) {
    relative.reach(now);
    const { compiled } = relative;
    const { cells } = relative.overflow(now);
    const base = bucket * compiled.width;
    if (!compiled.isIdle(cells, base, now)) found.push({ table: relative, compiled, cells, base });
    else if (dropsIdle) relative.relatives?.leaveBucket(bucket);
  }
  return found;
}

/** Moves to one plan what keys have used under plans of relatives. */
export class FormerCounts<Verbs> {
  readonly #view: PlanView;
  readonly #store: SpaceStore;
  readonly #makeVerbs: (view: PlanView) => Verbs;
  /** By the ids of the plans under which keys were counted. */
  readonly #kept = new Map<string, Verbs>();

  constructor(view: PlanView, store: SpaceStore, makeVerbs: (view: PlanView) => Verbs) {
    this.#view = view;
    this.#store = store;
    this.#makeVerbs = makeVerbs;
  }

  /** Whether this plan takes over what the table's relatives have counted. */
  concern(table: PlanTable): boolean {
    return this.#view.plan.onChange !== "separate" && table.hasRelatives;
  }

  /** The verbs under the numbers under which a key was counted first, if it keeps those. */
  keptVerbs(former: readonly FormerCount[]): Verbs | undefined {
    const { plan, context } = this.#view;
    if (plan.onChange !== "keep-first" || former.length === 0) return undefined;
    const ids = former.map(({ table }) => table.plan.id).join();
    const known = this.#kept.get(ids);
    if (known !== undefined) return known;
    const counted = former.flatMap(({ table }) => [...table.plan.limits]);
    const first = firstPlan(plan, counted);
    if (first === undefined) return undefined;
    if (this.#kept.size === MOST_KEPT) this.#kept.clear();
    const view = new PlanView(first, context, this.#store);
    this.#store.capacity.reserveScratch(view.compiled.width);
    const verbs = this.#makeVerbs(view);
    this.#kept.set(ids, verbs);
    return verbs;
  }

  /** Writes a key's cells under this plan into scratch cells, and changes nothing else. */
  preview(former: readonly FormerCount[], now: TimeCell): Float64Array {
    const { scratch } = this.#store.capacity;
    const { compiled } = this.#view;
    compiled.init(scratch, 0, now);
    for (const one of former) carryOverKey({ compiled, cells: scratch, base: 0 }, one, now);
    return scratch;
  }

  /** Whether `move` finds slots. Unless that is certain, it inserts the rows and takes them back. */
  mayMove(table: PlanTable, former: readonly FormerCount[], key: string, now: TimeCell): boolean {
    if (this.#leavesNoRest(former) && table.findSlot(key, now) >= 0) return true;
    const inserted = this.#insertAll(table, former, key, now);
    this.#undo(inserted ?? [], former, key, now);
    return inserted !== undefined;
  }

  /**
   * Moves a key into a row of this plan. Limits that this plan does not have stay counted, in rows of their own.
   *
   * @returns whether there were slots. Otherwise nothing has changed.
   */
  move(table: PlanTable, former: readonly FormerCount[], key: string, now: TimeCell): boolean {
    if (this.#insertAll(table, former, key, now) === undefined) return false;
    for (const one of former) {
      one.table.drop(key);
      this.#notify(one.table.plan, key);
    }
    return true;
  }

  /** Works like `preview`, for an overflow bucket. Without a bucket of this plan, `cells` is `undefined`. */
  previewBucket(
    cells: Float64Array | undefined,
    base: number,
    former: readonly FormerCount[],
    now: TimeCell,
  ): Float64Array {
    const { scratch } = this.#store.capacity;
    const { compiled } = this.#view;
    compiled.init(scratch, 0, now);
    if (cells !== undefined) for (let i = 0; i < compiled.width; i += 1) scratch[i] = cells[base + i]!;
    for (const one of former) carryOverBucket({ compiled, cells: scratch, base: 0 }, one, now, "copy");
    return scratch;
  }

  /** Moves what counts in buckets of relatives into a bucket of this plan. */
  moveBucket(cells: Float64Array, base: number, former: readonly FormerCount[], now: TimeCell): void {
    for (const one of former) carryOverBucket({ compiled: this.#view.compiled, cells, base }, one, now, "move");
  }

  /**
   * Inserts all new rows, and says where; `undefined` if one finds no slot. The former rows stay, unless the store is
   * full and they make room.
   */
  #insertAll(table: PlanTable, former: readonly FormerCount[], key: string, now: TimeCell): PlanTable[] | undefined {
    let slot = table.findSlot(key, now);
    if (slot < 0 && this.#leavesNoRest(former)) {
      for (const one of former) one.table.drop(key);
      slot = table.findSlot(key, now);
    }
    if (slot < 0) {
      this.#undo([], former, key, now);
      return undefined;
    }
    table.insert(slot, key, this.preview(former, now));
    const inserted = [table];
    for (const one of former) {
      const rest = insertRest(this.#view, this.#store, one, key, now);
      if (rest === "no slot") {
        this.#undo(inserted, former, key, now);
        return undefined;
      }
      if (rest !== undefined) inserted.push(rest);
    }
    return inserted;
  }

  /** Takes rows back. A former row that made room returns. */
  #undo(inserted: readonly PlanTable[], former: readonly FormerCount[], key: string, now: TimeCell): void {
    for (const table of inserted) table.drop(key);
    for (const { table, cells } of former) if (table.locateOnce(key) < 0) table.restore(key, cells, now);
  }

  /** Whether all limits under which the key was counted are limits of this plan. */
  #leavesNoRest(former: readonly FormerCount[]): boolean {
    return former.every(({ table }) => restOf(this.#view.plan, table.plan).length === 0);
  }

  /** Observers may call limiters, so they are notified when the call is over. */
  #notify(from: Plan, key: string): void {
    const { plan, context } = this.#view;
    if (context.onMove === undefined) return;
    const { capacity } = this.#store;
    capacity.notices.push(() => context.onMove?.(key, from.limits, plan.limits));
    capacity.callsUntilSweep = 0;
  }
}
