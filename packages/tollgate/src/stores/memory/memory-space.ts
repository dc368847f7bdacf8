import type { CompiledPlan } from "../../algorithms/compile-plan.ts";
import { changeCells, conformAll, describeCells, initCells, isDroppable } from "../../algorithms/plan-verbs.ts";
import type { Plan } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { Host, SyncSpace, Verb } from "../../core/store.ts";
import type { KeyTable, TableUser } from "./key-table.ts";
import type { Sweeper } from "./sweeper.ts";

/** One limiter's view of a table: the table keeps the cells, the view knows which limits enforce and in what order. */
export class MemorySpace implements SyncSpace, TableUser {
  readonly plan: Plan;
  readonly host: Host;
  readonly #table: KeyTable;
  readonly #sweeper: Sweeper;
  readonly #released: () => void;
  /** Cells of a key that is not there, or must not change. */
  readonly #copy: Float64Array;
  readonly #costs: number[];
  readonly #report = new Report();
  /** Whether `allow` can decide with conforming and taking alone: no limit in shadow mode, none that starts empty. */
  readonly #plain: boolean;
  #compiled: CompiledPlan;

  constructor(plan: Plan, host: Host, table: KeyTable, sweeper: Sweeper, released: () => void) {
    this.plan = plan;
    this.host = host;
    this.#table = table;
    this.#sweeper = sweeper;
    this.#released = released;
    this.#compiled = table.compiledFor(plan);
    this.#copy = new Float64Array(table.width);
    this.#costs = plan.limits.map(() => 0);
    this.#plain = plan.enforces.every(Boolean) && !plan.startsEmpty;
    table.users.add(this);
  }

  get size(): number {
    return this.#table.size;
  }

  allow(key: string, nowUs: number, cost: number): boolean {
    const admitted = this.#plain ? this.#allowPlain(key, nowUs, cost) : this.#allowWithReport(key, nowUs, cost);
    this.#sweeper.called();
    return admitted;
  }

  apply(verb: Verb, key: string, nowUs: number, costs: readonly number[], report: Report, at: number): boolean {
    const { plan } = this;
    const table = this.#table;
    table.reach(nowUs);
    const compiled = this.#compiled;
    const slot = table.slots.get(key);
    const looks = verb === "peek" || verb === "explain";
    const inPlace = slot !== undefined && !looks;
    const cells = inPlace ? table.cells : this.#copy;
    const base = inPlace ? slot * table.width : 0;
    if (slot !== undefined && looks) this.#copySlot(slot);
    // A full bucket that should be forgotten is as good as a new one; one that starts empty is not.
    const isNew = slot === undefined || (plan.startsEmpty && isDroppable(compiled, cells, base, nowUs));
    if (isNew) initCells(compiled, cells, base, nowUs);

    const admitted = conformAll(plan, compiled, cells, base, nowUs, costs, report, at);
    const changed = changeCells(plan, compiled, verb, admitted, cells, base, nowUs, costs, report, at);
    if (slot === undefined && !looks && (plan.startsEmpty || (changed && verb !== "refund"))) {
      this.#insert(key);
    }
    if (verb !== "refund") describeCells(compiled, cells, base, nowUs, costs, report, at);
    return admitted;
  }

  drop(key: string): void {
    this.#table.drop(key);
  }

  clear(): void {
    this.#table.clear();
  }

  sweep(nowUs: number): number {
    return this.#table.sweepAll(nowUs);
  }

  tidy(): void {
    this.#sweeper.called();
  }

  release(): void {
    this.#table.users.delete(this);
    this.#released();
  }

  recompiled(): void {
    this.#compiled = this.#table.compiledFor(this.plan);
  }

  #allowPlain(key: string, nowUs: number, cost: number): boolean {
    const table = this.#table;
    table.reach(nowUs);
    const slot = table.slots.get(key);
    if (slot !== undefined) return this.#takeAll(table.cells, slot * table.width, nowUs, cost);
    initCells(this.#compiled, this.#copy, 0, nowUs);
    const admitted = this.#takeAll(this.#copy, 0, nowUs, cost);
    if (admitted && cost > 0) this.#insert(key);
    return admitted;
  }

  /** Keeps the copy as the cells of a new key. */
  #insert(key: string): void {
    this.#table.insert(key, this.#copy);
    this.#sweeper.inserted();
  }

  #takeAll(cells: Float64Array, base: number, nowUs: number, cost: number): boolean {
    const { kernels, offsets } = this.#compiled;
    const { countsNumber } = this.plan;
    for (let i = 0; i < kernels.length; i += 1) {
      if (!kernels[i]!.conforms(cells, base + offsets[i]!, nowUs, countsNumber[i]! ? cost : 0)) return false;
    }
    for (let i = 0; i < kernels.length; i += 1) {
      kernels[i]!.take(cells, base + offsets[i]!, nowUs, countsNumber[i]! ? cost : 0);
    }
    return true;
  }

  #allowWithReport(key: string, nowUs: number, cost: number): boolean {
    const costs = this.#costs;
    for (let i = 0; i < costs.length; i += 1) costs[i] = this.plan.countsNumber[i]! ? cost : 0;
    return this.apply("take", key, nowUs, costs, this.#report, 0);
  }

  #copySlot(slot: number): void {
    const { cells, width } = this.#table;
    const from = slot * width;
    for (let i = 0; i < width; i += 1) this.#copy[i] = cells[from + i]!;
  }
}
