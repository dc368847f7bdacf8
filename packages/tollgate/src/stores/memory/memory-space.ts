import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Plan } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { Host, SyncSpace, Verb } from "../../core/store.ts";
import type { KeyTable } from "./key-table.ts";
import type { Sweeper } from "./sweeper.ts";

/** Where a space has its table from: a store lets empty tables go, and makes another when one is needed again. */
export interface TableSource {
  /** The plan's table, if there is one. */
  find(): KeyTable | undefined;
  /** The plan's table, made if there is none. */
  make(nowUs: number): KeyTable;
}

/** One limiter's view of a table: the table keeps the cells, the view knows which limits enforce and in what order. */
export class MemorySpace implements SyncSpace {
  readonly plan: Plan;
  readonly #host: Host;
  readonly #tables: TableSource;
  readonly #sweeper: Sweeper;
  #table: KeyTable | undefined;
  /** The table's kernels from which this view's were made. */
  #compiledFrom: CompiledPlan | undefined;
  #compiled: CompiledPlan;
  /** Cells of a key that is not there, or must not change. */
  readonly #copy: Float64Array;
  readonly #costs: number[];
  readonly #report = new Report();
  /** Whether `allow` can decide with conforming and taking alone: no limit in shadow mode, none that starts empty. */
  readonly #plain: boolean;

  constructor(plan: Plan, host: Host, tables: TableSource, sweeper: Sweeper) {
    this.plan = plan;
    this.#host = host;
    this.#tables = tables;
    this.#sweeper = sweeper;
    this.#compiled = new CompiledPlan(plan, 0);
    this.#copy = new Float64Array(this.#compiled.width);
    this.#costs = plan.limits.map(() => 0);
    this.#plain = plan.enforces.every(Boolean) && !plan.startsEmpty;
  }

  get size(): number {
    return this.#known()?.size ?? 0;
  }

  allow(key: string, nowUs: number, cost: number): boolean {
    const admitted = this.#plain ? this.#allowPlain(key, nowUs, cost) : this.#allowWithReport(key, nowUs, cost);
    this.#sweeper.called();
    return admitted;
  }

  apply(verb: Verb, key: string, nowUs: number, costs: readonly number[], report: Report, at: number): boolean {
    const table = this.#tableAt(nowUs);
    const compiled = this.#compiled;
    const slot = table.slots.get(key);
    const looks = verb === "peek" || verb === "explain";
    const inPlace = slot !== undefined && !looks;
    const cells = inPlace ? table.cells : this.#copy;
    const base = inPlace ? slot * table.width : 0;
    if (slot !== undefined && looks) this.#copySlot(table, slot);
    // A full bucket that should be forgotten is as good as a new one; one that starts empty is not.
    const isNew = slot === undefined || (this.plan.startsEmpty && compiled.isDroppable(cells, base, nowUs));
    if (isNew) compiled.init(cells, base, nowUs);

    const admitted = compiled.conform(cells, base, nowUs, costs, report, at);
    const changed = compiled.change(verb, admitted, cells, base, nowUs, costs, report, at);
    if (slot === undefined && !looks && (this.plan.startsEmpty || (changed && verb !== "refund")))
      this.#insert(table, key);
    if (verb !== "refund") compiled.describe(cells, base, nowUs, costs, report, at);
    return admitted;
  }

  drop(key: string): void {
    this.#known()?.drop(key);
  }

  clear(): void {
    this.#known()?.clear();
  }

  sweep(nowUs: number): number {
    const table = this.#known();
    return table === undefined ? 0 : table.sweepAll(Math.min(nowUs, table.nowUs()));
  }

  tidy(): void {
    this.#sweeper.called();
  }

  release(): void {
    this.#known()?.removeHost(this.#host);
  }

  #allowPlain(key: string, nowUs: number, cost: number): boolean {
    const table = this.#tableAt(nowUs);
    const slot = table.slots.get(key);
    if (slot !== undefined) return this.#compiled.takeNumber(table.cells, slot * table.width, nowUs, cost);
    this.#compiled.init(this.#copy, 0, nowUs);
    const admitted = this.#compiled.takeNumber(this.#copy, 0, nowUs, cost);
    if (admitted && cost > 0) this.#insert(table, key);
    return admitted;
  }

  #allowWithReport(key: string, nowUs: number, cost: number): boolean {
    const costs = this.#costs;
    for (let i = 0; i < costs.length; i += 1) costs[i] = this.plan.countsNumber[i]! ? cost : 0;
    return this.apply("take", key, nowUs, costs, this.#report, 0);
  }

  /** The plan's table, with kernels that are exact at this moment. */
  #tableAt(nowUs: number): KeyTable {
    const table = this.#table === undefined || this.#table.retired ? this.#join(this.#tables.make(nowUs)) : this.#table;
    table.reach(nowUs);
    if (table.compiled !== this.#compiledFrom) {
      this.#compiledFrom = table.compiled;
      this.#compiled = table.compiledFor(this.plan);
    }
    return table;
  }

  /** The plan's table, if there is one: looking makes none. */
  #known(): KeyTable | undefined {
    if (this.#table === undefined || this.#table.retired) this.#join(this.#tables.find());
    return this.#table;
  }

  #join<Table extends KeyTable | undefined>(table: Table): Table {
    table?.addHost(this.#host);
    this.#table = table;
    return table;
  }

  /** Keeps the copy as the cells of a new key. */
  #insert(table: KeyTable, key: string): void {
    table.insert(key, this.#copy);
    this.#sweeper.inserted();
  }

  #copySlot({ cells, width }: KeyTable, slot: number): void {
    const from = slot * width;
    for (let i = 0; i < width; i += 1) this.#copy[i] = cells[from + i]!;
  }
}
