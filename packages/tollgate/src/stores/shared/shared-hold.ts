import type { SyncHold } from "../../core/store.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { NOWHERE } from "./shared-slots.ts";

/** What a hold needs of its space. */
export interface HoldingSpace {
  /** As `allow`, for the key that a hold finds. */
  allowHeld(hold: SharedHold, now: TimeCell, cost: number): boolean;
}

/** A key's hash and the slot where it was last. */
export class SharedHold implements SyncHold {
  readonly key: string;
  readonly low: number;
  readonly high: number;
  slot: number = NOWHERE;
  readonly #space: HoldingSpace;

  constructor(space: HoldingSpace, key: string, low: number, high: number) {
    this.#space = space;
    this.key = key;
    this.low = low;
    this.high = high;
  }

  allow(now: TimeCell, cost: number): boolean {
    return this.#space.allowHeld(this, now, cost);
  }
}
