import type { PlainTake } from "../../algorithms/kernel.ts";
import { Report } from "../../core/report.ts";
import type { UndoRecord } from "../../core/taken.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import { VERBS, type VerbTraits } from "../../core/verbs.ts";
import type { Capacity } from "./capacity.ts";
import { FormerCounts, formerBuckets, formerRows } from "./former-counts.ts";
import { denyForCapacity, placeInOverflow } from "./overflow.ts";
import type { PlanTable } from "./plan-table.ts";
import type { PlanView } from "./plan-view.ts";
import type { FormerCount } from "./rest.ts";
import type { SpaceStore } from "./space-store.ts";

const NONE: readonly FormerCount[] = [];

/**
 * Decides the calls of one space that are more than a plain take from a known key: every verb with its report, new
 * keys, shadow limits, and keys for which there is no slot.
 */
export class LocalVerbs {
  readonly #view: PlanView;
  readonly #store: SpaceStore;
  readonly #capacity: Capacity;
  /**
   * The time of the current call. The limiter's cell may change when a clock is asked, because clocks may call
   * limiters.
   */
  readonly #now = createTimeCell();
  /** Set for a take that may be undone. */
  #record: UndoRecord | undefined = undefined;
  readonly #costs: number[];
  readonly #report = new Report();
  readonly #counts: FormerCounts<LocalVerbs>;
  /** Whether a call that is admitted has taken its cost. A shadow limit may have taken nothing. */
  readonly #enforcesAll: boolean;

  constructor(view: PlanView, store: SpaceStore) {
    this.#view = view;
    this.#store = store;
    this.#capacity = store.capacity;
    this.#costs = view.plan.limits.map(() => 0);
    this.#counts = new FormerCounts(view, store, (first) => new LocalVerbs(first, store));
    this.#enforcesAll = view.plan.enforces.every(Boolean);
  }

  /** `allow` for a key without cells (`base` below 0), and for plans without a plain take. */
  allow(table: PlanTable, base: number, key: string, cost: number, now: TimeCell): boolean {
    if (base < 0 && this.#counts.concern(table)) return this.#allowRelated(key, cost, now);
    this.#now[0] = now[0]!;
    this.#record = undefined;
    const slot = base >= 0 ? -1 : table.findSlot(key, this.#now);
    this.#capacity.mayHaveRoom();
    const plainTake = this.#enforcesAll ? this.#view.plainTake : undefined;
    if (slot >= 0 && plainTake !== undefined) return this.#allowNew(plainTake, table, slot, key, cost);
    if (base < 0 && plainTake !== undefined) return this.#allowOverflowed(plainTake, table, key, cost);
    const costs = this.#costsOf(cost);
    return base >= 0
      ? this.#applyToKnown(table.cells, base, VERBS.take, costs, this.#report, 0)
      : this.#applyToAbsent(table, slot, VERBS.take, key, costs, this.#report, 0);
  }

  /** Works like `SyncSpace.apply`. A take that may be undone notes in `record` what it changes. */
  apply(
    verb: VerbTraits,
    key: string,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
    record?: UndoRecord,
  ): boolean {
    this.#record = record;
    this.#now[0] = now[0]!;
    const table = this.#view.tableAt(this.#now);
    const base = table.locate(key);
    if (base >= 0) return this.#applyToRow(table, base, verb, costs, report, at);
    if (this.#counts.concern(table)) return this.#applyToRelated(table, verb, key, costs, report, at);
    return this.#applyToAbsent(table, table.findSlot(key, this.#now), verb, key, costs, report, at);
  }

  /** A plain cost for each limit that counts plain numbers. */
  #costsOf(cost: number): readonly number[] {
    const { countsNumber } = this.#view.plan;
    for (let i = 0; i < countsNumber.length; i += 1) this.#costs[i] = countsNumber[i]! ? cost : 0;
    return this.#costs;
  }

  #allowRelated(key: string, cost: number, now: TimeCell): boolean {
    const admitted = this.apply(VERBS.take, key, this.#costsOf(cost), now, this.#report, 0);
    this.#capacity.mayHaveRoom();
    return admitted;
  }

  /** For a key without cells that relatives may have counted. */
  #applyToRelated(
    table: PlanTable,
    verb: VerbTraits,
    key: string,
    costs: readonly number[],
    report: Report,
    at: number,
  ): boolean {
    const counts = this.#counts;
    const former = formerRows(table, key, this.#now, verb.changes);
    const kept = counts.keptVerbs(former);
    if (kept !== undefined)
      return kept.apply(verb, key, costs, this.#now, kept.#withLimits(report, at), at, this.#record);
    let slot = -1;
    if (former.length === 0) slot = table.findSlot(key, this.#now);
    else if (verb.changes) {
      if (counts.move(table, former, key, this.#now)) {
        const base = table.locate(key);
        if (base >= 0) return this.#applyToRow(table, base, verb, costs, report, at);
        // What has moved here is idle, and what stays behind took the slot.
        slot = table.findSlot(key, this.#now);
      }
    } else if (counts.mayMove(table, former, key, this.#now)) {
      for (let i = 0; i < costs.length; i += 1) report.isView[at + i] = true;
      return this.#applyToKnown(counts.preview(former, this.#now), 0, verb, costs, report, at);
    }
    return this.#applyToAbsent(table, slot, verb, key, costs, report, at);
  }

  /** The decision names the limits of this plan. */
  #withLimits(report: Report, at: number): Report {
    const { limits } = this.#view.plan;
    for (let i = 0; i < limits.length; i += 1) {
      report.keptLimits[at + i] = limits[i];
      report.isView[at + i] = true;
    }
    return report;
  }

  #allowNew(plainTake: PlainTake, table: PlanTable, slot: number, key: string, cost: number): boolean {
    const { scratch } = this.#capacity;
    this.#view.compiled.init(scratch, 0, this.#now);
    if (!plainTake.tryTake(scratch, 0, this.#now, cost)) return false;
    if (cost > 0) this.#insert(table, slot, key);
    return true;
  }

  #allowOverflowed(plainTake: PlainTake, table: PlanTable, key: string, cost: number): boolean {
    const place = placeInOverflow(table, VERBS.take, key, this.#now, this.#report);
    if (typeof place === "number") return plainTake.tryTake(table.overflow(this.#now).cells, place, this.#now, cost);
    const { compiled } = this.#view;
    return denyForCapacity(compiled, this.#capacity.scratch, this.#now, this.#costsOf(cost), this.#report, 0);
  }

  #applyToRow(
    table: PlanTable,
    base: number,
    verb: VerbTraits,
    costs: readonly number[],
    report: Report,
    at: number,
  ): boolean {
    if (this.#record !== undefined) this.#record.table = table;
    return this.#applyToKnown(table.cells, base, verb, costs, report, at);
  }

  #applyToKnown(
    cells: Float64Array,
    base: number,
    verb: VerbTraits,
    costs: readonly number[],
    report: Report,
    at: number,
  ): boolean {
    const { compiled } = this.#view;
    this.#record?.note(cells, base, compiled.width);
    // Only keys that start empty are written before they are read.
    if (verb.changes || !compiled.startsEmpty) return this.#run(cells, base, "known", verb, costs, report, at);
    const { scratch } = this.#capacity;
    for (let i = 0; i < compiled.width; i += 1) scratch[i] = cells[base + i]!;
    return this.#run(scratch, 0, "known", verb, costs, report, at);
  }

  /** For a key without cells: `slot` is a place for it, or below 0. */
  #applyToAbsent(
    table: PlanTable,
    slot: number,
    verb: VerbTraits,
    key: string,
    costs: readonly number[],
    report: Report,
    at: number,
  ): boolean {
    if (slot >= 0) return this.#applyToNew(table, slot, verb, key, costs, report, at);
    const former = this.#counts.concern(table) ? formerBuckets(table, key, this.#now, verb.changes) : NONE;
    const kept = this.#counts.keptVerbs(former);
    if (kept !== undefined) {
      kept.#record = this.#record;
      return kept.#applyOverflowed(verb, key, costs, this.#now, kept.#withLimits(report, at), at);
    }
    const place = placeInOverflow(table, verb, key, this.#now, report);
    if (place === "denied") {
      return denyForCapacity(this.#view.compiled, this.#capacity.scratch, this.#now, costs, report, at);
    }
    const cells = place === "a new bucket" ? undefined : table.overflow(this.#now).cells;
    const base = place === "a new bucket" ? 0 : place;
    if (former.length > 0 && (cells === undefined || !verb.changes)) {
      const preview = this.#counts.previewBucket(cells, base, former, this.#now);
      return this.#applyToKnown(preview, 0, verb, costs, report, at);
    }
    if (cells === undefined) return this.#run(this.#capacity.scratch, 0, "new", verb, costs, report, at);
    this.#counts.moveBucket(cells, base, former, this.#now);
    if (this.#record !== undefined) this.#record.table = table.overflow(this.#now);
    return this.#applyToKnown(cells, base, verb, costs, report, at);
  }

  #applyOverflowed(
    verb: VerbTraits,
    key: string,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
  ): boolean {
    this.#now[0] = now[0]!;
    return this.#applyToAbsent(this.#view.tableAt(this.#now), -1, verb, key, costs, report, at);
  }

  #applyToNew(
    table: PlanTable,
    slot: number,
    verb: VerbTraits,
    key: string,
    costs: readonly number[],
    report: Report,
    at: number,
  ): boolean {
    const admitted = this.#run(this.#capacity.scratch, 0, "new", verb, costs, report, at);
    if (!this.#view.compiled.mustStore) return admitted;
    this.#insert(table, slot, key);
    if (this.#record !== undefined) {
      this.#record.table = table;
      this.#record.isNew = true;
    }
    return admitted;
  }

  #run(
    cells: Float64Array,
    base: number,
    key: "known" | "new",
    verb: VerbTraits,
    costs: readonly number[],
    report: Report,
    at: number,
  ): boolean {
    const { compiled } = this.#view;
    compiled.begin(key, cells, base, this.#now);
    return compiled.apply(verb, cells, base, costs, this.#now, report, at);
  }

  /** Keeps the scratch cells as those of a new key. */
  #insert(table: PlanTable, slot: number, key: string): void {
    table.insert(slot, key, this.#capacity.scratch);
    this.#store.inserted();
  }
}
