import type { Limit } from "../core/limits/limit.ts";
import type { TimeCell } from "../core/time-cell.ts";

/** What the hot path asks. */
export interface Taker {
  /** Takes the cost if it conforms, and says whether it does. */
  admit(cells: Float64Array, at: number, now: TimeCell, cost: number): boolean;
}

/**
 * One limit compiled: the pure arithmetic of its algorithm over `size` cells that begin at `at`. Time comes in
 * as an instant, costs as checked whole numbers. No clock, no allocation, no other state.
 */
export interface Kernel<L extends Limit = Limit> extends Taker {
  readonly limit: L;
  /** How many cells a key needs. */
  readonly size: number;
  /** Writes the cells of a new key. */
  init(cells: Float64Array, at: number, now: TimeCell): void;
  /** Whether the cost could be taken now. Reads only. */
  conforms(cells: Float64Array, at: number, now: TimeCell, cost: number): boolean;
  /** Takes the cost, unchecked: into debt if it does not conform. */
  take(cells: Float64Array, at: number, now: TimeCell, cost: number): void;
  /** Gives units back, never beyond full. */
  refund(cells: Float64Array, at: number, now: TimeCell, cost: number): void;
  /**
   * Gives back what still counts of a cost that conformed and was taken at another moment, whatever others have taken
   * since: never so much that more could be taken than without it. Without this, what was taken cannot be told from
   * what others took, and stays.
   */
  revoke?(cells: Float64Array, at: number, taken: TimeCell, now: TimeCell, cost: number): void;
  /** Microseconds until the cost conforms if nothing else arrives: 0 if it does now, `Infinity` if it never will. */
  waitUs(cells: Float64Array, at: number, now: TimeCell, cost: number): number;
  /** Whole units that count now, rounded up; above the capacity while in debt. */
  used(cells: Float64Array, at: number, now: TimeCell): number;
  /** Whether nothing counts any more. */
  isIdle(cells: Float64Array, at: number, now: TimeCell): boolean;
  /** Microseconds until nothing counts any more if nothing else arrives. */
  resetUs(cells: Float64Array, at: number, now: TimeCell): number;
  /**
   * Puts a moment, which is now or later, off until nothing counts any more: `resetUs` for the hot path, with no result
   * to box.
   */
  putOff(expiry: TimeCell, cells: Float64Array, at: number, now: TimeCell): void;
  /** Restates cells that were written by a kernel of the same limit compiled for another origin. */
  rebase(cells: Float64Array, at: number, from: this): void;
}
