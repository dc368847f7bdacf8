import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Capacity } from "../local/capacity.ts";
import { OVERFLOW_BUCKETS } from "../local/overflow.ts";

/** The buckets of the keys for which the store had no slot, made when the first of these comes. */
export class OverflowBuckets {
  /** The cells of all buckets. */
  cells: Float64Array | undefined;
  readonly #width: number;
  readonly #capacity: Capacity;

  constructor(width: number, capacity: Capacity) {
    this.#width = width;
    this.#capacity = capacity;
  }

  get #bytes(): number {
    return OVERFLOW_BUCKETS * this.#width * Float64Array.BYTES_PER_ELEMENT;
  }

  /** Whether there are buckets, or bytes for them. */
  get fit(): boolean {
    return this.cells !== undefined || this.#bytes <= this.#capacity.bytesLeftInAll;
  }

  /** The cells, made if necessary: only if they `fit`. */
  cellsAt(compiled: CompiledPlan, now: TimeCell): Float64Array {
    if (this.cells !== undefined) return this.cells;
    this.#capacity.bytes += this.#bytes;
    const cells = new Float64Array(OVERFLOW_BUCKETS * this.#width);
    for (let base = 0; base < cells.length; base += this.#width) compiled.init(cells, base, now);
    this.cells = cells;
    return cells;
  }

  /** Where the cells of a key's bucket begin. The hash is keyed, so an attacker cannot choose a victim's bucket. */
  baseOf(hash: number): number {
    return (hash & (OVERFLOW_BUCKETS - 1)) * this.#width;
  }

  dropIfIdle(compiled: CompiledPlan, now: TimeCell): void {
    const { cells } = this;
    if (cells === undefined) return;
    for (let base = 0; base < cells.length; base += this.#width) if (!compiled.isIdle(cells, base, now)) return;
    this.drop();
  }

  drop(): void {
    if (this.cells !== undefined) this.#capacity.bytes -= this.#bytes;
    this.cells = undefined;
  }

  /** Restates all cells, which were written for the origin of `from`. */
  rebase(compiled: CompiledPlan, from: CompiledPlan): void {
    if (this.cells === undefined) return;
    for (let base = 0; base < this.cells.length; base += this.#width) compiled.rebase(this.cells, base, from);
  }
}
