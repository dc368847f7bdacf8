import type { Clock } from "../../core/clock.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import { NOWHERE } from "./shared-slots.ts";

/** The keys among which a call took from one. */
export interface RevokingKeys {
  /** Takes back what `taking` says, at a time that the clock tells. */
  revoke(taking: Taking, clock: Clock): void;
}

/**
 * What a call took from a key, and how it found and left the key: to take that back when another limiter of a
 * combination denies the call.
 */
export class Taking {
  /** When it was taken. */
  readonly takenAt: TimeCell;
  /** What was taken, per limit. */
  costs: readonly number[] = [];
  /** The key's cells before. */
  readonly before: Float64Array;
  /** Whether there was no such key. */
  wasNew = false;
  /** `undefined` while nothing has been changed. */
  keys: RevokingKeys | undefined;
  slot: number = NOWHERE;
  /** The state of the slot after the take: as long as it is the same, no other call has changed the key. */
  low = 0;
  high = 0;

  constructor(nowUs: number, width: number) {
    this.takenAt = createTimeCell(nowUs);
    this.before = new Float64Array(width);
  }

  /** For each try: the cells from which it is decided. */
  noteBefore(cells: Float64Array, isNew: boolean): void {
    this.before.set(cells);
    this.wasNew = isNew;
  }

  /** For the try that was published. */
  noteAfter(keys: RevokingKeys, slot: number, state: Int32Array): void {
    this.keys = keys;
    this.slot = slot;
    this.low = state[0]!;
    this.high = state[1]!;
  }
}
