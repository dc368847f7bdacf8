import type { Plan } from "../core/plan.ts";
import type { Report } from "../core/report.ts";
import type { TimeCell } from "../core/time-cell.ts";
import type { Kernel, PlainTake } from "./kernel.ts";

/** Copying so few cells, and putting them back on a denial, is cheaper than asking every limit twice. */
const MOST_CELLS_TO_UNDO = 8;

/**
 * What verbs do to the cells of several limits. A take is all or nothing; a shadow limit takes only if the call is
 * admitted and conforms to it.
 */
export class SeveralTakes implements PlainTake {
  readonly #kernels: readonly Kernel[];
  readonly #offsets: readonly number[];
  readonly #plan: Plan;
  /** How many cells a key has. */
  readonly #width: number;
  /** The cells before the current call, should one of the limits deny it. */
  readonly #cellsBefore: Float64Array;
  /** The last plain cost, and what it is for each limit. */
  #plainCost = 0;
  readonly #plainCosts: number[];
  /** Whether there are few enough cells for `tryTakeAndTell`. */
  readonly undoes: boolean;

  constructor(kernels: readonly Kernel[], offsets: readonly number[], plan: Plan, width: number) {
    this.#kernels = kernels;
    this.#offsets = offsets;
    this.#plan = plan;
    this.#width = width;
    this.#plainCosts = kernels.map(() => 0);
    this.undoes = width <= MOST_CELLS_TO_UNDO;
    this.#cellsBefore = new Float64Array(Math.min(width, MOST_CELLS_TO_UNDO));
  }

  tryTake(cells: Float64Array, base: number, now: TimeCell, cost: number): boolean {
    const costs = cost === this.#plainCost ? this.#plainCosts : this.#costsOf(cost);
    if (this.undoes) return this.#takeOrUndo(cells, base, costs, now);
    return this.conform(cells, base, costs, now) && this.#takeConforming(cells, base, costs, now);
  }

  /** Whether every enforcing limit conforms to its cost. */
  conform(cells: Float64Array, base: number, costs: readonly number[], now: TimeCell): boolean {
    for (let i = 0; i < this.#kernels.length; i += 1) {
      if (!this.#plan.enforces[i]!) continue;
      if (!this.#kernels[i]!.conforms(cells, base + this.#offsets[i]!, now, costs[i]!)) return false;
    }
    return true;
  }

  /** Takes one cost per limit if all conform. For few cells. */
  #takeOrUndo(cells: Float64Array, base: number, costs: readonly number[], now: TimeCell): boolean {
    this.#save(cells, base);
    for (let i = 0; i < this.#kernels.length; i += 1) {
      if (this.#kernels[i]!.tryTake(cells, base + this.#offsets[i]!, now, costs[i]!)) continue;
      if (!this.#plan.enforces[i]!) continue;
      this.#undo(cells, base);
      return false;
    }
    return true;
  }

  /** Takes one cost per limit, and fills the report in the same pass. A denial is to be told again. For few cells. */
  tryTakeAndTell(
    cells: Float64Array,
    base: number,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
  ): boolean {
    this.#save(cells, base);
    let admitted = true;
    for (let i = 0; i < this.#kernels.length; i += 1) {
      const cell = base + this.#offsets[i]!;
      const conforms = this.#kernels[i]!.tryTakeAndTell(cells, cell, now, costs[i]!, report, at + i);
      report.conforms[at + i] = conforms;
      if (!conforms && this.#plan.enforces[i]!) admitted = false;
    }
    if (!admitted) this.#undo(cells, base);
    return admitted;
  }

  /** Takes one cost per limit, conforming or not, and fills the report. Returns what `conform` would have. */
  chargeAndTell(
    cells: Float64Array,
    base: number,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
  ): boolean {
    let conform = true;
    for (let i = 0; i < this.#kernels.length; i += 1) {
      const kernel = this.#kernels[i]!;
      const cell = base + this.#offsets[i]!;
      report.conforms[at + i] = kernel.tryTakeAndTell(cells, cell, now, costs[i]!, report, at + i);
      if (report.conforms[at + i]!) continue;
      if (this.#plan.enforces[i]!) conform = false;
      kernel.take(cells, cell, now, costs[i]!);
      kernel.tell(cells, cell, now, costs[i]!, report, at + i);
    }
    return conform;
  }

  refund(cells: Float64Array, base: number, costs: readonly number[], now: TimeCell): void {
    for (let i = 0; i < this.#kernels.length; i += 1) {
      if (costs[i]! > 0) this.#kernels[i]!.refund(cells, base + this.#offsets[i]!, now, costs[i]!);
    }
  }

  /** Keeps the cells for `undo`. */
  #save(cells: Float64Array, base: number): void {
    for (let i = 0; i < this.#width; i += 1) this.#cellsBefore[i] = cells[base + i]!;
  }

  /** Restores the cells as they were before the last call. */
  #undo(cells: Float64Array, base: number): void {
    for (let i = 0; i < this.#width; i += 1) cells[base + i] = this.#cellsBefore[i]!;
  }

  /** Takes what conforms, after all enforcing limits have conformed. */
  #takeConforming(cells: Float64Array, base: number, costs: readonly number[], now: TimeCell): true {
    for (let i = 0; i < this.#kernels.length; i += 1) {
      if (this.#plan.enforces[i]!) this.#kernels[i]!.take(cells, base + this.#offsets[i]!, now, costs[i]!);
      else this.#kernels[i]!.tryTake(cells, base + this.#offsets[i]!, now, costs[i]!);
    }
    return true;
  }

  /** The part of a plain cost that counts against each limit. */
  #costsOf(cost: number): readonly number[] {
    const { countsNumber } = this.#plan;
    this.#plainCost = cost;
    for (let i = 0; i < countsNumber.length; i += 1) this.#plainCosts[i] = countsNumber[i]! ? cost : 0;
    return this.#plainCosts;
  }
}
