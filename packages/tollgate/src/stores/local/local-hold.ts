import type { SyncHold } from "../../core/store.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { PlanTable } from "./plan-table.ts";

/** What a hold needs of its space. */
export interface HoldingSpace {
  /** As `allow`, for the key that a hold finds. */
  allowHeld(hold: LocalHold, now: TimeCell, cost: number): boolean;
}

/** A key of a space, with what it takes to find its cells again: each kind of table has its own. */
export abstract class LocalHold implements SyncHold {
  readonly key: string;
  readonly #space: HoldingSpace;

  constructor(space: HoldingSpace, key: string) {
    this.#space = space;
    this.key = key;
  }

  /** As `PlanTable.locate` of its key. */
  abstract locateIn(table: PlanTable): number;

  allow(now: TimeCell, cost: number): boolean {
    return this.#space.allowHeld(this, now, cost);
  }
}
