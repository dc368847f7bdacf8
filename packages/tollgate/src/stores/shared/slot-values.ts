import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { TimeCell } from "../../core/time-cell.ts";

// What became of a call, or of one try.
export const DENIED = 0;
export const ADMITTED = 1;
/** Others came in between, or the key is not there. */
export const AGAIN = 2;
/** There is no slot for the key. */
export const NO_ROOM = 3;
/** Nobody can write: so many threads have just died. */
export const NO_WRITING = 4;
/** What was decided is so. */
export const PUBLISHED = 5;

/** What lives in the slots of a table: a key's cells, and how they are read and replaced at once. */
export interface Values {
  /** A copy of one key's cells: what was read, or what is to be published. */
  readonly cells: Float64Array;
  /** When the copy will be idle: noted before it is published, where there are several cells. */
  readonly expiry: TimeCell;
  /** The two words of the state that `publish` has put into a slot. */
  readonly published: Int32Array;
  /** The bits that stay of a state's lower word when its key goes. */
  readonly lasting: number;
  /**
   * The hot path: takes a cost from the key that lives in a slot, if it is still there and nobody else comes in between. The lower word of
   * its fingerprint is without the generation.
   */
  admit(slot: number, printLow: number, printHigh: number, compiled: CompiledPlan, now: TimeCell, cost: number): number;
  /** Copies the cells of the key that lives in a slot. Others may come in between: `confirm` or `publish` tells. */
  read(slot: number, low: number, high: number): void;
  /** When the key that lives in a slot is as good as new, or somewhat later, for whoever does not know its plan but for its row. */
  expiryOf(slot: number, low: number, high: number, plan: number): number;
  /** Whether a slot's state, and so what was read, is still the same. */
  confirm(slot: number, low: number, high: number): boolean;
  /**
   * Puts the copy in place of what was read, or into a slot where nothing lives yet: `AGAIN` or `NO_WRITING` where
   * nothing happened.
   */
  publish(slot: number, low: number, high: number): number;
}
