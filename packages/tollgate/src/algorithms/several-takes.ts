import type { TimeCell } from "../core/time-cell.ts";
import type { Kernel, PlainTake } from "./kernel.ts";

/** Copying so few cells, and putting them back on a denial, is cheaper than asking every limit twice. */
const MOST_CELLS_TO_UNDO = 8;

/** Takes one plain cost from several limits, all or nothing. For plans of which every limit enforces. */
export class SeveralTakes implements PlainTake {
  readonly #kernels: readonly Kernel[];
  readonly #offsets: readonly number[];
  /** Whether each limit counts plain numbers. */
  readonly #countsNumber: readonly boolean[];
  /** How many cells a key has. */
  readonly #width: number;
  /** The cells before the current call, should one of the limits deny it. */
  readonly #cellsBefore: Float64Array;

  constructor(kernels: readonly Kernel[], offsets: readonly number[], countsNumber: readonly boolean[], width: number) {
    this.#kernels = kernels;
    this.#offsets = offsets;
    this.#countsNumber = countsNumber;
    this.#width = width;
    this.#cellsBefore = new Float64Array(Math.min(width, MOST_CELLS_TO_UNDO));
  }

  tryTake(cells: Float64Array, base: number, now: TimeCell, cost: number): boolean {
    return this.#width <= MOST_CELLS_TO_UNDO
      ? this.#takeOrUndo(cells, base, now, cost)
      : this.#takeIfAllConform(cells, base, now, cost);
  }

  #takeOrUndo(cells: Float64Array, base: number, now: TimeCell, cost: number): boolean {
    const before = this.#cellsBefore;
    for (let i = 0; i < this.#width; i += 1) before[i] = cells[base + i]!;
    for (let i = 0; i < this.#kernels.length; i += 1) {
      if (this.#kernels[i]!.tryTake(cells, base + this.#offsets[i]!, now, this.#counted(i, cost))) continue;
      for (let cell = 0; cell < this.#width; cell += 1) cells[base + cell] = before[cell]!;
      return false;
    }
    return true;
  }

  #takeIfAllConform(cells: Float64Array, base: number, now: TimeCell, cost: number): boolean {
    for (let i = 0; i < this.#kernels.length; i += 1) {
      if (!this.#kernels[i]!.conforms(cells, base + this.#offsets[i]!, now, this.#counted(i, cost))) return false;
    }
    for (let i = 0; i < this.#kernels.length; i += 1) {
      this.#kernels[i]!.take(cells, base + this.#offsets[i]!, now, this.#counted(i, cost));
    }
    return true;
  }

  /** The part of a plain cost that counts against a limit. */
  #counted(i: number, cost: number): number {
    return this.#countsNumber[i]! ? cost : 0;
  }
}
