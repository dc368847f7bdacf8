import { carryOverKey } from "../../algorithms/carry-over.ts";
import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { PlainTake } from "../../algorithms/kernel.ts";
import { countsNameIn, type Plan } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { LimiterContext } from "../../core/store.ts";
import type { UndoRecord } from "../../core/taken.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import { VERBS, type VerbTraits } from "../../core/verbs.ts";
import { firstPlan } from "../local/first-plan.ts";
import { denyForCapacity } from "../local/overflow.ts";
import type { MemoryScope } from "./memory-scope.ts";
import { capacityToMove, type FormerRow, formerRows, move } from "./moving.ts";
import type { RowTable } from "./row-table.ts";
import type { SpaceStore } from "./space-store.ts";

/** How many lists of first numbers a space remembers. */
const MOST_KEPT = 64;

/**
 * The verbs of one list of limits, as one limiter asks: it knows which limits enforce, and their order. The list's
 * table keeps the cells. A store lets empty tables go, so each call asks for the table that is right for its moment.
 */
export class ListVerbs {
  readonly plan: Plan;
  readonly context: LimiterContext;
  readonly scope: MemoryScope;
  compiled: CompiledPlan;
  /** Set if `tryTake` alone decides `allow` for a known key: no limit starts empty. */
  plainTake: PlainTake | undefined;
  readonly #store: SpaceStore;
  #table: RowTable | undefined;
  /** The table's kernels from which this list's were made. */
  #compiledFrom: CompiledPlan | undefined;
  /**
   * The time of the current call. The limiter's cell may change when a clock is asked, because clocks may call
   * limiters.
   */
  readonly #now = createTimeCell();
  readonly #costs: number[];
  #limitHashes: readonly number[] | undefined = undefined;
  readonly #report = new Report();
  /** Whether a call that is admitted has taken its cost. A shadow limit may have taken nothing. */
  readonly #enforcesAll: boolean;
  /** By the ids of the plans under which keys were counted first. */
  readonly #kept = new Map<string, ListVerbs>();

  constructor(plan: Plan, context: LimiterContext, scope: MemoryScope, store: SpaceStore) {
    this.plan = plan;
    this.context = context;
    this.scope = scope;
    this.#store = store;
    this.compiled = new CompiledPlan(plan, 0);
    this.#costs = plan.limits.map(() => 0);
    this.#enforcesAll = plan.enforces.every(Boolean);
    store.capacity.reserveScratch(this.compiled.width);
  }

  /** How the log of resets names each limit, whichever key it counts. */
  get limitHashes(): readonly number[] {
    this.#limitHashes ??= this.plan.limits.map((limit) =>
      this.#store.texts.hashOf(`${this.scope.number} ${countsNameIn(this.plan, limit)}`),
    );
    return this.#limitHashes;
  }

  /** The list's table, with kernels that are exact at this moment. */
  tableAt(now: TimeCell): RowTable {
    const table = this.#table;
    const isCurrent = table !== undefined && table.compiled === this.#compiledFrom && table.reaches(now);
    return isCurrent ? table : this.#anotherTableAt(now);
  }

  #anotherTableAt(now: TimeCell): RowTable {
    this.#table = this.#table?.retired === false ? this.#table : this.#makeTable(this.plan, now);
    const table = this.#table;
    table.reach(now);
    this.#compiledFrom = table.compiled;
    this.compiled = table.compiledFor(this.plan);
    this.plainTake = this.compiled.startsEmpty ? undefined : this.compiled.plainTake;
    return table;
  }

  #makeTable(plan: Plan, now: TimeCell): RowTable {
    return this.scope.tableOf(plan, now, this.context.choosesLimits === true);
  }

  /** `allow` for a key without a row (`base` below 0), and for lists without a plain take. */
  allow(table: RowTable, base: number, key: string, cost: number, now: TimeCell): boolean {
    const plainTake = this.#enforcesAll ? this.plainTake : undefined;
    const text = this.#store.texts.of(key);
    if (base < 0 && plainTake !== undefined && !table.isElsewhere && table.hasCapacityFor(text))
      return this.#allowNew(plainTake, table, text, cost, now);
    const admitted = this.apply(VERBS.take, key, this.#costsOf(cost), now, this.#report, 0);
    this.#store.capacity.mayHaveRoom();
    return admitted;
  }

  #allowNew(plainTake: PlainTake, table: RowTable, text: string, cost: number, now: TimeCell): boolean {
    const { scratch } = this.#store.capacity;
    this.compiled.init(scratch, 0, now);
    if (!plainTake.tryTake(scratch, 0, now, cost)) return false;
    if (cost > 0) table.insert(text, scratch);
    return true;
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
    this.#now[0] = now[0]!;
    const table = this.tableAt(this.#now);
    const text = this.#store.texts.of(key);
    const call: ListCall = { verb, key, text, costs, report, at, record };
    const base = this.#locate(table, call);
    if (base >= 0) return this.#applyToRow(table, base, call);
    const former =
      this.plan.onChange !== "separate" && table.isElsewhere
        ? formerRows(this.scope, table, text, this.#now, verb.changes)
        : [];
    if (former.length > 0) return this.#applyToFormer(table, former, call);
    return table.hasCapacityFor(text) ? this.#applyToNew(table, call) : this.#applyOverflowed(table, call);
  }

  /** Where a key's cells begin; -1 if it has no row. In a full store it tries to make room for one, once an instant. */
  #locate(table: RowTable, { key, text }: ListCall): number {
    const base = table.locate(key);
    const { capacity } = this.#store;
    if (base >= 0 || capacity.fullAtUs === this.#now[0] || table.retired || table.hasCapacityFor(text)) return base;
    const nowUs = this.#now[0]!;
    this.#store.reclaim(this.#now, this.context.clock);
    // Clocks that were asked may have called this limiter, which may have inserted the key.
    this.#now[0] = nowUs;
    if (!table.hasCapacityFor(text)) capacity.fullAtUs = nowUs;
    return table.locate(key);
  }

  /** A plain cost for each limit that counts plain numbers. */
  #costsOf(cost: number): readonly number[] {
    const { countsNumber } = this.plan;
    for (let i = 0; i < countsNumber.length; i += 1) this.#costs[i] = countsNumber[i]! ? cost : 0;
    return this.#costs;
  }

  /** For a key without a row here that other lists with the same limits count. */
  #applyToFormer(table: RowTable, former: readonly FormerRow[], call: ListCall): boolean {
    const { verb, key, text, costs, report, at } = call;
    const first = this.#firstVerbs(former);
    if (first !== undefined) {
      first.#noteKept(report, at);
      return first.apply(verb, key, costs, this.#now, report, at, call.record);
    }
    const rests = capacityToMove(table, former, text, this.#now, (plan) => this.#makeTable(plan, this.#now));
    // Without capacity for what stays behind, the key counts as new in a full store, and its row stays.
    if (rests === undefined) return this.#applyOverflowed(table, call);
    const { scratch } = this.#store.capacity;
    carryOverKey(table.compiled, scratch, former, this.#now);
    if (!verb.changes) {
      for (let i = 0; i < costs.length; i += 1) report.isView[at + i] = true;
      return this.#applyToKnown(scratch, 0, call);
    }
    move(table, scratch, former, rests, text);
    for (const { table: from } of former) this.#notify(from.plan, key);
    return this.#applyToRow(table, table.locateOnce(text), call);
  }

  /** The verbs under the numbers under which a key was counted first, if it keeps those. */
  #firstVerbs(former: readonly FormerRow[]): ListVerbs | undefined {
    if (this.plan.onChange !== "keep-first") return undefined;
    const ids = former.map(({ table }) => table.plan.id).join();
    const known = this.#kept.get(ids);
    if (known !== undefined) return known;
    const counted = former.flatMap(({ table }) => [...table.plan.limits]);
    const first = firstPlan(this.plan, counted);
    if (first === undefined) return undefined;
    if (this.#kept.size === MOST_KEPT) this.#kept.clear();
    const verbs = new ListVerbs(first, this.context, this.scope, this.#store);
    this.#kept.set(ids, verbs);
    return verbs;
  }

  /** Decisions name the limits of this list, which another list keeps. */
  #noteKept(report: Report, at: number): void {
    const { limits } = this.plan;
    for (let i = 0; i < limits.length; i += 1) {
      report.keptLimits[at + i] = limits[i];
      report.isView[at + i] = true;
    }
  }

  /** Observers may call limiters, so they are notified when the call is over. */
  #notify(from: Plan, key: string): void {
    const { plan, context } = this;
    if (context.onMove === undefined) return;
    const { capacity } = this.#store;
    capacity.notices.push(() => context.onMove?.(key, from.limits, plan.limits));
    capacity.callsUntilSweep = 0;
  }

  #applyToRow(table: RowTable, base: number, call: ListCall): boolean {
    if (call.record !== undefined) call.record.table = table;
    return this.#applyToKnown(table.cells, base, call);
  }

  #applyToKnown(cells: Float64Array, base: number, call: ListCall): boolean {
    const { compiled } = this;
    call.record?.note(cells, base, compiled.width);
    // Only keys that start empty are written before they are read.
    if (call.verb.changes || !compiled.startsEmpty) return this.#run(cells, base, "known", call);
    const { scratch } = this.#store.capacity;
    for (let i = 0; i < compiled.width; i += 1) scratch[i] = cells[base + i]!;
    return this.#run(scratch, 0, "known", call);
  }

  /** For a key for which the store has capacity. */
  #applyToNew(table: RowTable, call: ListCall): boolean {
    const { scratch } = this.#store.capacity;
    const admitted = this.#run(scratch, 0, "new", call);
    if (!this.compiled.mustStore) return admitted;
    table.insert(call.text, scratch);
    if (call.record !== undefined) {
      call.record.table = table;
      call.record.isNew = true;
    }
    return admitted;
  }

  /** For a key for which the store has no capacity. */
  #applyOverflowed(table: RowTable, call: ListCall): boolean {
    const { verb, text, costs, report, at, record } = call;
    const { capacity } = this.#store;
    const { buckets } = table;
    if (verb.changes && !verb.refunds) capacity.overflowCount += 1;
    if (capacity.overflow === "deny" || table.retired || !buckets.fit)
      return denyForCapacity(this.compiled, capacity.scratch, this.#now, costs, report, at);
    report.overflow ??= "shared";
    // Making the buckets would start those that start empty.
    if (!verb.changes && buckets.cells === undefined) return this.#run(capacity.scratch, 0, "new", call);
    const cells = buckets.cellsAt(table.compiled, this.#now);
    if (record !== undefined) record.table = cells;
    return this.#applyToKnown(cells, buckets.baseOf(this.#store.texts.hashOf(text)), call);
  }

  #run(cells: Float64Array, base: number, key: "known" | "new", { verb, costs, report, at }: ListCall): boolean {
    this.compiled.begin(key, cells, base, this.#now);
    return this.compiled.apply(verb, cells, base, costs, this.#now, report, at);
  }
}

/** A call of a verb that changes or reports the cells of a key. */
interface ListCall {
  readonly verb: VerbTraits;
  readonly key: string;
  /** The text under which the key is kept. */
  readonly text: string;
  readonly costs: readonly number[];
  readonly report: Report;
  /** Where the report's entries begin. */
  readonly at: number;
  /** Set for a take that may be undone. */
  readonly record: UndoRecord | undefined;
}
