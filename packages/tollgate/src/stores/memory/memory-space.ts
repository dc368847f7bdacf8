import { KeyRef } from "../../core/key-ref.ts";
import type { Plan } from "../../core/plan.ts";
import type { Report } from "../../core/report.ts";
import type { LimiterContext, SyncSpace } from "../../core/store.ts";
import type { Taken, UndoRecord } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import type { Capacity } from "../local/capacity.ts";
import { correct } from "./corrections.ts";
import { forgetAll, forgetKey } from "./forgetting.ts";
import { ListVerbs } from "./list-verbs.ts";
import type { MemoryScope } from "./memory-scope.ts";
import { RowTable } from "./row-table.ts";
import type { SpaceStore } from "./space-store.ts";

/** One limiter's keys under one list. The hot path is here; `ListVerbs` decides all calls that take more. */
export class MemorySpace implements SyncSpace {
  readonly plan: Plan;
  readonly #store: SpaceStore;
  readonly #capacity: Capacity;
  readonly #scope: MemoryScope;
  readonly #list: ListVerbs;
  /** Whether a verb of the current call changed cells. */
  #hasChanged = false;

  constructor(plan: Plan, context: LimiterContext, scope: MemoryScope, store: SpaceStore) {
    this.plan = plan;
    this.#store = store;
    this.#capacity = store.capacity;
    this.#scope = scope;
    this.#list = new ListVerbs(plan, context, scope, store);
    scope.clocks.add(context.clock);
    this.#capacity.clusterWarning.opened(context);
  }

  get size(): number {
    return this.#scope.find(this.plan)?.size ?? 0;
  }

  allow(key: string, cost: number, now: TimeCell): boolean {
    const table = this.#list.tableAt(now);
    return this.#allowAt(table, table.locate(key), key, cost, now);
  }

  keyRef(key: string): KeyRef {
    return new KeyRef(key);
  }

  allowRef(ref: KeyRef, cost: number, now: TimeCell): boolean {
    const table = this.#list.tableAt(now);
    return this.#allowAt(table, table.locateRef(ref), ref.key, cost, now);
  }

  #allowAt(table: RowTable, base: number, key: string, cost: number, now: TimeCell): boolean {
    const list = this.#list;
    const { plainTake } = list;
    const admitted =
      base >= 0 && plainTake !== undefined
        ? plainTake.tryTake(table.cells, base, now, cost)
        : list.allow(table, base, key, cost, now);
    this.#capacity.callsUntilSweep -= 1;
    if (this.#capacity.callsUntilSweep <= 0) this.#store.sweepStep();
    return admitted;
  }

  apply(
    verb: Verb,
    key: string,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
    taken?: Taken,
  ): boolean {
    const traits = VERBS[verb];
    if (traits.changes) {
      this.#hasChanged = true;
      report.resets = this.#store.resetLog.count;
    }
    if (traits.refunds) this.#capacity.mayHaveRoom();
    const list = this.#list;
    if (taken !== undefined && (traits.refunds || traits.renews))
      return correct(list, this.#store, traits, key, costs, now, report, at, taken);
    const table = list.tableAt(now);
    const base = table.locate(key);
    // A list with a bucket that starts empty may have to write the cells first.
    if (base >= 0 && list.plainTake !== undefined)
      return list.compiled.applyToKept(traits, table.cells, base, costs, now, report, at);
    return list.apply(traits, key, costs, now, report, at);
  }

  takeUndoably(
    key: string,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
    record: UndoRecord,
  ): boolean {
    this.#hasChanged = true;
    report.resets = this.#store.resetLog.count;
    record.key = key;
    return this.#list.apply(VERBS.take, key, costs, now, report, at, record);
  }

  undo({ table, key, at, isNew, numbers }: UndoRecord): void {
    // The cells of overflow buckets.
    if (table instanceof Float64Array) table.set(numbers, at);
    if (!(table instanceof RowTable)) return;
    const text = this.#store.texts.of(key);
    const base = table.locateOnce(text);
    if (isNew) table.drop(text);
    else if (base >= 0) table.cells.set(numbers, base);
  }

  drop(key: string): void {
    forgetKey(this.#list, this.#store, key);
  }

  clear(): void {
    forgetAll(this.#list, this.#store);
  }

  sweep(now: TimeCell): number {
    this.#capacity.mayHaveRoom();
    const { clocks } = this.#scope;
    clocks.readTime();
    clocks.noLaterThan(now);
    return this.#scope.find(this.plan)?.sweep.all() ?? 0;
  }

  maintain(): void {
    // After a peek nothing may change: the take that follows has to find what the peek found.
    if (!this.#hasChanged) return;
    this.#hasChanged = false;
    this.#capacity.mayHaveRoom();
    this.#capacity.callsUntilSweep -= 1;
    if (this.#capacity.callsUntilSweep <= 0) this.#store.sweepStep();
  }

  /** The keys stay. An empty table goes: spaces that refer to it ask for another one. */
  release(): void {
    const table = this.#scope.find(this.plan);
    if (table?.isEmpty === true) this.#store.removeTable(table);
  }
}
