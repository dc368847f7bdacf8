import type { TimeCell } from "../../core/time-cell.ts";
import type { Capacity } from "../local/capacity.ts";
import type { ScopeClocks } from "./scope-clocks.ts";

/** A table whose slots are swept. Removing a row moves the last one into its slot. */
export interface SweptTable {
  readonly capacity: Capacity;
  readonly clocks: ScopeClocks;
  /** The number of slots in use. */
  readonly size: number;
  /** Prepares the table for this moment. */
  reach(now: TimeCell): void;
  /** Removes the row in a slot if it is idle at the clocks' time. */
  removeIfIdle(slot: number): void;
  /** Gives memory back after a pass. */
  endPass(): void;
}

/**
 * Drops the idle keys of a table at its scope's time, in passes over all slots. A pass goes from the last slot to the
 * first, in as many steps as the caller wants. A pass begins at most once in an interval, so that a client
 * that is often idle keeps its slot.
 */
export class TableSweep {
  readonly #table: SweptTable;
  readonly #intervalUs: number;
  /** The next slot; below 0 between passes. */
  #cursor = -1;
  /** When the last pass began. A new table rests first: else its first keys would go at once if they are idle. */
  #beganUs: number;

  constructor(table: SweptTable, intervalUs: number, nowUs: number) {
    this.#table = table;
    this.#intervalUs = intervalUs;
    this.#beganUs = nowUs;
  }

  /** Whether no pass is under way, and the next one is not due. In a store that is nearly full it is always due. */
  get rests(): boolean {
    const sinceUs = this.#table.clocks.now[0]! - this.#beganUs;
    // If the clock went back, the interval is over.
    const isRecent = sinceUs >= 0 && sinceUs < this.#intervalUs;
    return this.#cursor < 0 && !this.#table.capacity.isNearlyFull && isRecent;
  }

  /** Sweeps up to `count` slots, and says whether that ended a pass over all. */
  step(count: number): boolean {
    const { clocks, size } = this.#table;
    this.#table.reach(clocks.now);
    if (this.#cursor < 0) this.#beganUs = clocks.now[0]!;
    // A new pass begins; or the limiter has dropped keys since this one began.
    if (this.#cursor < 0 || this.#cursor >= size) this.#cursor = size - 1;
    this.#sweepDownTo(Math.max(0, this.#cursor - count + 1));
    if (this.#cursor >= 0) return false;
    this.#table.endPass();
    return true;
  }

  /** Sweeps all slots, and says how many keys that removed. */
  all(): number {
    const before = this.#table.size;
    this.cancel();
    this.step(before);
    return before - this.#table.size;
  }

  /** Ends the pass without sweeping the rest. */
  cancel(): void {
    this.#cursor = -1;
  }

  #sweepDownTo(last: number): void {
    const { size, capacity } = this.#table;
    for (; this.#cursor >= last; this.#cursor -= 1) this.#table.removeIfIdle(this.#cursor);
    capacity.sweptCount += size - this.#table.size;
  }
}
