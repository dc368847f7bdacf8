import { KeyRef } from "../../core/key-ref.ts";
import type { Plan } from "../../core/plan.ts";
import type { Report } from "../../core/report.ts";
import type { LimiterContext, SyncSpace } from "../../core/store.ts";
import type { Taken, UndoRecord } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import type { Capacity } from "./capacity.ts";
import { correct } from "./corrections.ts";
import { forgetAll, forgetKey } from "./forgetting.ts";
import { LocalVerbs } from "./local-verbs.ts";
import { OverflowBuckets } from "./overflow-buckets.ts";
import { PlanTable } from "./plan-table.ts";
import { PlanView } from "./plan-view.ts";
import type { SpaceStore } from "./space-store.ts";

/** How many keys of a batch are located at a time. */
const BATCH = 64;

/**
 * One limiter's keys in a store of this process. The hot path is here; `LocalVerbs` decides all calls that take more,
 * and `PlanView` finds the table.
 */
export class LocalSpace implements SyncSpace {
  readonly plan: Plan;
  readonly #store: SpaceStore;
  readonly #capacity: Capacity;
  readonly #view: PlanView;
  readonly #verbs: LocalVerbs;
  /** Whether a verb of the current call changed cells. */
  #hasChanged = false;

  constructor(plan: Plan, context: LimiterContext, store: SpaceStore) {
    this.plan = plan;
    this.#store = store;
    this.#capacity = store.capacity;
    this.#view = new PlanView(plan, context, store);
    this.#view.open();
    this.#verbs = new LocalVerbs(this.#view, store);
    this.#capacity.clusterWarning.opened(context);
    this.#capacity.reserveScratch(this.#view.compiled.width);
  }

  get size(): number {
    return this.#view.ownTables.reduce((total, table) => total + table.size, 0);
  }

  allow(key: string, cost: number, now: TimeCell): boolean {
    const view = this.#view;
    const table = view.tableAt(now);
    const base = table.locate(key);
    const plainTake = view.plainTake;
    const admitted =
      base >= 0 && plainTake !== undefined
        ? plainTake.tryTake(table.cells, base, now, cost)
        : this.#verbs.allow(table, base, key, cost, now);
    const capacity = this.#capacity;
    const callsLeft = capacity.callsUntilSweep - 1;
    capacity.callsUntilSweep = callsLeft;
    if (callsLeft <= 0) this.#store.sweepStep();
    return admitted;
  }

  keyRef(key: string): KeyRef {
    return new KeyRef(key);
  }

  allowRef(ref: KeyRef, cost: number, now: TimeCell): boolean {
    const view = this.#view;
    const table = view.tableAt(now);
    const base = table.locateRef(ref);
    const plainTake = view.plainTake;
    const admitted =
      base >= 0 && plainTake !== undefined
        ? plainTake.tryTake(table.cells, base, now, cost)
        : this.#verbs.allow(table, base, ref.key, cost, now);
    this.#countCalls(1);
    return admitted;
  }

  allowMany(keys: readonly string[], cost: number, now: TimeCell, out: Uint8Array): number {
    const view = this.#view;
    const table = view.tableAt(now);
    let admitted = 0;
    for (let from = 0; from < keys.length; from += BATCH) {
      const until = Math.min(from + BATCH, keys.length);
      table.prepare(keys, from, until);
      for (let i = from; i < until; i += 1) {
        const base = table.locatePrepared(keys[i]!, i - from);
        const allowed =
          base >= 0 && view.plainTake !== undefined
            ? view.plainTake.tryTake(table.cells, base, now, cost)
            : this.#verbs.allow(table, base, keys[i]!, cost, now);
        out[i] = allowed ? 1 : 0;
        if (allowed) admitted += 1;
      }
    }
    // A sweep step may let the table go, so it comes after the batch.
    for (let left = keys.length; left > 0; left -= BATCH) this.#countCalls(Math.min(left, BATCH));
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
    if (taken !== undefined && (traits.refunds || traits.renews))
      return correct(this.#view, this.#store, traits, key, costs, now, report, at, taken);
    const view = this.#view;
    const table = view.tableAt(now);
    const base = table.locate(key);
    // A list with a bucket that starts empty may have to write the cells first.
    if (base >= 0 && view.plainTake !== undefined)
      return view.compiled.applyToKept(traits, table.cells, base, costs, now, report, at);
    return this.#verbs.apply(traits, key, costs, now, report, at);
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
    return this.#verbs.apply(VERBS.take, key, costs, now, report, at, record);
  }

  undo({ table, key, at, isNew, numbers }: UndoRecord): void {
    if (table instanceof OverflowBuckets) table.cells.set(numbers, at);
    if (!(table instanceof PlanTable)) return;
    if (isNew) table.drop(key);
    else {
      const base = table.locateOnce(key);
      if (base >= 0) table.cells.set(numbers, base);
    }
  }

  drop(key: string): void {
    forgetKey(this.#view, this.#store, key);
  }

  clear(): void {
    forgetAll(this.#view, this.#store);
  }

  sweep(now: TimeCell): number {
    this.#capacity.mayHaveRoom();
    let removed = 0;
    for (const table of this.#view.ownTables) {
      this.#capacity.clockReadings.begin();
      table.users.readTime(this.#capacity.clockReadings);
      table.users.noLaterThan(now);
      removed += table.sweepAll();
    }
    return removed;
  }

  maintain(): void {
    // After a peek nothing may change: the take that follows has to find what the peek found.
    if (!this.#hasChanged) return;
    this.#hasChanged = false;
    this.#capacity.mayHaveRoom();
    this.#countCalls(1);
  }

  watchSweeps(): void {
    this.#view.watchSweeps();
  }

  release(): void {
    this.#view.close();
  }

  #countCalls(calls: number): void {
    this.#capacity.callsUntilSweep -= calls;
    if (this.#capacity.callsUntilSweep <= 0) this.#store.sweepStep();
  }
}
