import type { Clock } from "../../core/clock.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import { NOWHERE } from "./shared-slots.ts";
import type { SlotValues } from "./slot-values.ts";

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
  /** The key's cells after the take. While they are the same, there is nothing of another call to keep. */
  after: Float64Array = NO_CELLS;
  /** The upper word of the slot's state after the take. */
  high = 0;

  constructor(nowUs: number) {
    this.takenAt = createTimeCell(nowUs);
  }

  /** Notes the cells before a try. A take may need several tries. */
  noteBefore(cells: Float64Array, isNew: boolean): void {
    this.before = cells.slice();
    this.wasNew = isNew;
  }

  /** Notes what the try has published. */
  noteAfter(keys: RevokingKeys, slot: number, { cells, published }: SlotValues): void {
    this.keys = keys;
    this.slot = slot;
    this.after = cells.slice();
    this.high = published[1]!;
  }
}
