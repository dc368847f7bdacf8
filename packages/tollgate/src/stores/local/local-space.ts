import type { Judgement, PartwiseSpace } from "../../algorithms/transact-partwise.ts";
import { KeyRef } from "../../core/key-ref.ts";
import type { Plan } from "../../core/plan.ts";
import type { Report } from "../../core/report.ts";
import type { LimiterContext, SyncSpace } from "../../core/store.ts";
import { ADMITTED, ADMITTED_OF_LAST, DENIED, type LookedOutcome } from "../../core/store-readings.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { VERBS, type Verb, type VerbTraits } from "../../core/verbs.ts";
import type { Capacity } from "./capacity.ts";
import { LocalVerbs } from "./local-verbs.ts";
import type { PlanTable } from "./plan-table.ts";
import { PlanView } from "./plan-view.ts";
import type { SpaceStore } from "./space-store.ts";

const NO_CELLS = new Float64Array(0);

/** How many keys of a batch are located at a time. */
const BATCH = 64;

/**
 * One limiter's keys in a store of this process. The hot path is here; `LocalVerbs` decides all calls that take more,
 * and `PlanView` finds the table.
 */
export class LocalSpace implements PartwiseSpace, SyncSpace {
  readonly plan: Plan;
  readonly #store: SpaceStore;
  readonly #capacity: Capacity;
  readonly #view: PlanView;
  readonly #verbs: LocalVerbs;
  /** Whether a verb of the current call changed cells. */
  #hasChanged = false;
  /** Where the cells are that `judge` found. */
  #cells: Float64Array = NO_CELLS;
  #base = 0;
  /** Whether a judged key waits for `finish`. */
  #hasJudged = false;

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

  get forgetsRelatives(): boolean {
    return this.plan.onChange !== "separate";
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

  allowAndLook(key: string, cost: number, now: TimeCell, left: number): LookedOutcome {
    const view = this.#view;
    const table = view.tableAt(now);
    const base = table.locate(key);
    const { only } = view;
    if (base < 0 || only === undefined) return this.#allowNewAndLook(table, base, key, cost, now, left);
    let outcome: LookedOutcome = DENIED;
    if (only.tryTake(table.cells, base, now, cost))
      outcome = only.conforms(table.cells, base, now, left) ? ADMITTED : ADMITTED_OF_LAST;
    this.#countCalls(1);
    return outcome;
  }

  consumeKept(key: string, cost: number, now: TimeCell, report: Report): boolean {
    const view = this.#view;
    const table = view.tableAt(now);
    const base = table.locate(key);
    this.#hasChanged = true;
    if (base < 0 || view.only === undefined) return false;
    return view.only.tryTakeAndTell(table.cells, base, now, cost, report, 0);
  }

  peekKept(key: string, cost: number, now: TimeCell, report: Report): boolean {
    const view = this.#view;
    const table = view.tableAt(now);
    const base = table.locate(key);
    this.#hasChanged = false;
    if (base < 0 || view.only === undefined || !view.only.conforms(table.cells, base, now, cost)) return false;
    view.only.tellAfterTake(table.cells, base, now, cost, report, 0);
    return true;
  }

  refundKept(key: string, cost: number, now: TimeCell): boolean {
    const view = this.#view;
    const table = view.tableAt(now);
    const base = table.locate(key);
    if (base < 0 || view.only === undefined || this.#capacity.reservations.areSome) return false;
    this.#hasChanged = true;
    view.only.refund(table.cells, base, now, cost);
    return true;
  }

  consume(key: string, costs: readonly number[], now: TimeCell, report: Report): boolean {
    const view = this.#view;
    const table = view.tableAt(now);
    const base = table.locate(key);
    this.#hasChanged = true;
    if (base >= 0 && view.plainTake !== undefined) {
      return view.compiled.tryTakeAndTell(table.cells, base, costs, now, report, 0);
    }
    return this.#verbs.apply(VERBS.take, key, costs, now, report, 0);
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

  apply(verb: Verb, key: string, costs: readonly number[], now: TimeCell, report: Report, at: number): boolean {
    const traits = VERBS[verb];
    if (traits.changes) this.#hasChanged = true;
    else if (traits.reserves) this.#hasChanged = false;
    const { reservations } = this.#capacity;
    if (traits.refunds) this.#capacity.mayHaveRoom();
    if (!reservations.areSome) {
      const view = this.#view;
      const table = view.tableAt(now);
      const base = table.locate(key);
      // Nothing to write first or to search for, and nothing to reserve: only an idle key could lose its slot.
      const isKept = base >= 0 && view.plainTake !== undefined;
      if (isKept && !(traits.reserves && view.compiled.isIdle(table.cells, base, now))) {
        if (traits.reserves) reservations.begin(report, now);
        return view.compiled.applyToKept(traits, table.cells, base, costs, now, report, at);
      }
    }
    return this.#verbs.apply(traits, key, costs, now, report, at);
  }

  judge(verb: VerbTraits, key: string, costs: readonly number[], now: TimeCell, report: Report, at: number): Judgement {
    // A space remembers one key: `apply` decides a call on several keys of it.
    if (this.#hasJudged) return "unknown";
    const view = this.#view;
    const table = view.readyTableAt(now);
    if (table === undefined) return "unknown";
    const base = table.locate(key);
    if (base < 0 || view.plainTake === undefined) return "unknown";
    this.#hasJudged = true;
    this.#hasChanged = verb.changes;
    this.#cells = table.cells;
    this.#base = base;
    return view.compiled.judge(verb, table.cells, base, costs, now, report, at) ? "conforms" : "denied";
  }

  takeKept(key: string, costs: readonly number[], now: TimeCell): boolean {
    const view = this.#view;
    const table = view.readyTableAt(now);
    if (table === undefined || view.plainTake === undefined) return false;
    const base = table.locate(key);
    if (base < 0) return false;
    this.#hasChanged = true;
    this.#cells = table.cells;
    this.#base = base;
    return view.compiled.takeOrUndo(this.#cells, base, costs, now);
  }

  untake(): void {
    this.#view.compiled.undo(this.#cells, this.#base);
  }

  finish(
    verb: VerbTraits,
    admitted: boolean,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
  ): void {
    this.#hasJudged = false;
    this.#view.compiled.finish(verb, admitted, this.#cells, this.#base, costs, now, report, at);
  }

  drop(key: string): void {
    this.#capacity.mayHaveRoom();
    for (const table of this.#view.tablesWith(key)) table.drop(key);
  }

  clear(): void {
    this.#capacity.mayHaveRoom();
    for (const table of this.#view.everyTable) table.clear();
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
    this.#capacity.reservations.release();
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

  /** What an overflow bucket has left is not looked at. */
  #allowNewAndLook(
    table: PlanTable,
    base: number,
    key: string,
    cost: number,
    now: TimeCell,
    left: number,
  ): LookedOutcome {
    const admitted = this.#verbs.allow(table, base, key, cost, now);
    const at = admitted ? table.locate(key) : -1;
    const isOfLast = at >= 0 && this.#view.compiled.only?.conforms(table.cells, at, now, left) === false;
    this.#countCalls(1);
    return admitted ? (isOfLast ? ADMITTED_OF_LAST : ADMITTED) : DENIED;
  }

  #countCalls(calls: number): void {
    this.#capacity.callsUntilSweep -= calls;
    if (this.#capacity.callsUntilSweep <= 0) this.#store.sweepStep();
  }
}
