import type { Clock } from "../../core/clock.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import { NOWHERE } from "./shared-slots.ts";

/** The keys of a space, as far as a take can be revoked. */
export interface RevokingKeys {
  /** Revokes a take, at the time of the clock. */
  revoke(taking: Taking, clock: Clock): void;
}

const NO_CELLS = new Float64Array(0);

/**
 * A take from one key, with the key's state before and after it. It is revoked if another limiter of a combination
 * denies the call.
 */
export class Taking {
  /** The time of the take. */
  readonly takenAt: TimeCell;
  /** The units that each limit gave. */
  costs: readonly number[] = [];
  /** The key's cells before the take. */
  before: Float64Array = NO_CELLS;
  /** Whether the take created the key. */
  wasNew = false;
  /** `undefined` until the take is published. */
  keys: RevokingKeys | undefined;
  slot: number = NOWHERE;
  /** The slot's state after the take. While it is the same, no other call has changed the key. */
  low = 0;
  high = 0;

  constructor(nowUs: number) {
    this.takenAt = createTimeCell(nowUs);
  }

  /** Notes the cells before a try. A take may need several tries. */
  noteBefore(cells: Float64Array, isNew: boolean): void {
    this.before = cells.slice();
    this.wasNew = isNew;
  }

  /** Notes the state after the try that was published. */
  noteAfter(keys: RevokingKeys, slot: number, state: Int32Array): void {
    this.keys = keys;
    this.slot = slot;
    this.low = state[0]!;
    this.high = state[1]!;
  }
}
