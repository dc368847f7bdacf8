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
  /** Whether there are few enough cells for `tryTakeAndTell`. */
  readonly undoes: boolean;

  constructor(kernels: readonly Kernel[], offsets: readonly number[], plan: Plan, width: number) {
    this.#kernels = kernels;
    this.#offsets = offsets;
    this.#plan = plan;
    this.#width = width;
    this.undoes = width <= MOST_CELLS_TO_UNDO;
    this.#cellsBefore = new Float64Array(Math.min(width, MOST_CELLS_TO_UNDO));
  }

  tryTake(cells: Float64Array, base: number, now: TimeCell, cost: number): boolean {
    return this.undoes ? this.#takeOrUndo(cells, base, now, cost) : this.#takeIfAllConform(cells, base, now, cost);
  }

  /** Whether every enforcing limit conforms to its cost. */
  conform(cells: Float64Array, base: number, costs: readonly number[], now: TimeCell): boolean {
    for (let i = 0; i < this.#kernels.length; i += 1) {
      if (!this.#plan.enforces[i]!) continue;
      if (!this.#kernels[i]!.conforms(cells, base + this.#offsets[i]!, now, costs[i]!)) return false;
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
    if (!admitted) this.undo(cells, base);
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

  #save(cells: Float64Array, base: number): void {
    for (let i = 0; i < this.#width; i += 1) this.#cellsBefore[i] = cells[base + i]!;
  }

  /** Restores the cells as they were before the last call. */
  undo(cells: Float64Array, base: number): void {
    for (let i = 0; i < this.#width; i += 1) cells[base + i] = this.#cellsBefore[i]!;
  }

  #takeOrUndo(cells: Float64Array, base: number, now: TimeCell, cost: number): boolean {
    this.#save(cells, base);
    for (let i = 0; i < this.#kernels.length; i += 1) {
      if (this.#kernels[i]!.tryTake(cells, base + this.#offsets[i]!, now, this.#counted(i, cost))) continue;
      if (!this.#plan.enforces[i]!) continue;
      this.undo(cells, base);
      return false;
    }
    return true;
  }

  #takeIfAllConform(cells: Float64Array, base: number, now: TimeCell, cost: number): boolean {
    for (let i = 0; i < this.#kernels.length; i += 1) {
      if (!this.#plan.enforces[i]!) continue;
      if (!this.#kernels[i]!.conforms(cells, base + this.#offsets[i]!, now, this.#counted(i, cost))) return false;
    }
    for (let i = 0; i < this.#kernels.length; i += 1) {
      const counted = this.#counted(i, cost);
      if (this.#plan.enforces[i]!) this.#kernels[i]!.take(cells, base + this.#offsets[i]!, now, counted);
      else this.#kernels[i]!.tryTake(cells, base + this.#offsets[i]!, now, counted);
    }
    return true;
  }

  /** The part of a plain cost that counts against a limit. */
  #counted(i: number, cost: number): number {
    return this.#plan.countsNumber[i]! ? cost : 0;
  }
}
