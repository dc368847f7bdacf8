import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Report } from "../../core/report.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { VerbTraits } from "../../core/verbs.ts";

// The outcome of a call, or of one attempt at it.
export const DENIED = 0;
export const ADMITTED = 1;
/** Another thread changed the key meanwhile, or the key is not there. */
export const RETRY = 2;
/** Every slot that the key could have is in use. */
export const NO_SLOT_LEFT = 3;
/** Threads that died occupy every write slot. */
export const NO_WRITE_SLOT_LEFT = 4;
/** The new cells are in the slot. */
export const PUBLISHED = 5;
/** No plan counts the key. */
export const UNCOUNTED = 6;
/** Other plans count the key. */
export const COUNTED_ELSEWHERE = 7;
/** Other plans counted the key, but nothing of the limits in question: it is a new one. */
export const FORGOTTEN = 8;

/** Reads a key's cells from a slot, and replaces them atomically. */
export interface SlotValues {
  /** A copy of one key's cells: the ones just read, or the ones to publish. */
  readonly cells: Float64Array;
  /** When the copy becomes idle, if `keepsExpiry`. */
  readonly expiry: TimeCell;
  /** Whether the slot keeps its expiry, because other threads cannot tell it from several cells. */
  readonly keepsExpiry: boolean;
  /** The two words of the state that `publish` has just put into a slot. */
  readonly published: Int32Array;
  /** The bits of a state's lower word that stay when the key goes. */
  readonly permanentBits: number;
  /**
   * The hot path: takes a cost from the key in a slot whose state has this upper word. `RETRY` if another thread
   * changed the key meanwhile.
   */
  tryTake(slot: number, high: number, compiled: CompiledPlan, now: TimeCell, cost: number): number;
  /**
   * Applies a verb to the key in a slot, for plans without a bucket that starts empty. `RETRY` as `tryTake`, and where
   * the general way is as quick.
   */
  tryApply(
    slot: number,
    high: number,
    compiled: CompiledPlan,
    verb: VerbTraits,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
  ): number;
  /** Copies the cells of the key in a slot. Other threads may write meanwhile: `confirm` and `publish` detect that. */
  read(slot: number, low: number, high: number): void;
  /** Whether the key in a slot is idle. It needs only the number of its plan, and may find out slightly later. */
  isIdle(slot: number, low: number, high: number, plan: number, now: TimeCell): boolean;
  /** Whether a slot's state, and so the copy of its cells, is still current. */
  confirm(slot: number, low: number, high: number): boolean;
  /**
   * Puts the copy into a slot whose state is still this one. `RETRY` or `NO_WRITE_SLOT_LEFT` if nothing happened. The
   * slot gets the generation of another upper word if one is given.
   */
  publish(slot: number, low: number, high: number, generation?: number): number;
}
