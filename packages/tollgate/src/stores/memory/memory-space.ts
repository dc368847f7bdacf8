import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Plan } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { Host, SyncSpace, Verb } from "../../core/store.ts";
import type { KeyTable } from "./key-table.ts";
import type { Sweeper } from "./sweeper.ts";

/** One limiter's view of a table: the table keeps the cells, the view knows which limits enforce and in what order. */
export class MemorySpace implements SyncSpace {
  readonly plan: Plan;
  readonly #findTable: () => KeyTable;
  readonly #host: Host;
  readonly #sweeper: Sweeper;
  #table: KeyTable;
  /** The table's kernels from which this view's were made. */
  #compiledFrom: CompiledPlan;
  #compiled: CompiledPlan;
  /** Cells of a key that is not there, or must not change. */
  readonly #copy: Float64Array;
  readonly #costs: number[];
  readonly #report = new Report();
  /** Whether `allow` can decide with conforming and taking alone: no limit in shadow mode, none that starts empty. */
  readonly #plain: boolean;

  constructor(plan: Plan, host: Host, findTable: () => KeyTable, sweeper: Sweeper) {
    this.plan = plan;
    this.#host = host;
    this.#findTable = findTable;
    this.#sweeper = sweeper;
    this.#table = findTable();
    this.#compiledFrom = this.#table.compiled;
    this.#compiled = this.#table.compiledFor(plan);
    this.#copy = new Float64Array(this.#table.width);
    this.#costs = plan.limits.map(() => 0);
    this.#plain = plan.enforces.every(Boolean) && !plan.startsEmpty;
  }

  get size(): number {
    return this.#current().size;
  }

  allow(key: string, nowUs: number, cost: number): boolean {
    const admitted = this.#plain ? this.#allowPlain(key, nowUs, cost) : this.#allowWithReport(key, nowUs, cost);
    this.#sweeper.called();
    return admitted;
  }

  apply(verb: Verb, key: string, nowUs: number, costs: readonly number[], report: Report, at: number): boolean {
    const table = this.#currentAt(nowUs);
    const compiled = this.#compiled;
    const slot = table.slots.get(key);
    const looks = verb === "peek" || verb === "explain";
    const inPlace = slot !== undefined && !looks;
    const cells = inPlace ? table.cells : this.#copy;
    const base = inPlace ? slot * table.width : 0;
    if (slot !== undefined && looks) this.#copySlot(slot);
    // A full bucket that should be forgotten is as good as a new one; one that starts empty is not.
    const isNew = slot === undefined || (this.plan.startsEmpty && compiled.isDroppable(cells, base, nowUs));
    if (isNew) compiled.init(cells, base, nowUs);

    const admitted = compiled.conform(cells, base, nowUs, costs, report, at);
    const changed = compiled.change(verb, admitted, cells, base, nowUs, costs, report, at);
    if (slot === undefined && !looks && (this.plan.startsEmpty || (changed && verb !== "refund"))) this.#insert(key);
    if (verb !== "refund") compiled.describe(cells, base, nowUs, costs, report, at);
    return admitted;
  }

  drop(key: string): void {
    this.#current().drop(key);
  }

  clear(): void {
    this.#current().clear();
  }

  sweep(nowUs: number): number {
    return this.#current().sweepAll(nowUs);
  }

  tidy(): void {
    this.#sweeper.called();
  }

  release(): void {
    this.#table.removeHost(this.#host);
  }

  #allowPlain(key: string, nowUs: number, cost: number): boolean {
    const table = this.#currentAt(nowUs);
    const slot = table.slots.get(key);
    if (slot !== undefined) return this.#compiled.takeNumber(table.cells, slot * table.width, nowUs, cost);
    this.#compiled.init(this.#copy, 0, nowUs);
    const admitted = this.#compiled.takeNumber(this.#copy, 0, nowUs, cost);
    if (admitted && cost > 0) this.#insert(key);
    return admitted;
  }

  #allowWithReport(key: string, nowUs: number, cost: number): boolean {
    const costs = this.#costs;
    for (let i = 0; i < costs.length; i += 1) costs[i] = this.plan.countsNumber[i]! ? cost : 0;
    return this.apply("take", key, nowUs, costs, this.#report, 0);
  }

  /** The plan's table, with kernels that are exact at this moment. */
  #currentAt(nowUs: number): KeyTable {
    const table = this.#current();
    table.reach(nowUs);
    if (table.compiled !== this.#compiledFrom) {
      this.#compiledFrom = table.compiled;
      this.#compiled = table.compiledFor(this.plan);
    }
    return table;
  }

  /** A store lets empty tables go, and has another when one is needed again. */
  #current(): KeyTable {
    if (this.#table.retired) this.#table = this.#findTable();
    return this.#table;
  }

  /** Keeps the copy as the cells of a new key. */
  #insert(key: string): void {
    this.#table.insert(key, this.#copy);
    this.#sweeper.inserted();
  }

  #copySlot(slot: number): void {
    const { cells, width } = this.#table;
    const from = slot * width;
    for (let i = 0; i < width; i += 1) this.#copy[i] = cells[from + i]!;
  }
}
