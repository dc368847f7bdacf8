import type { Plan } from "../../core/plan.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Capacity } from "./capacity.ts";
import type { PlanTable } from "./plan-table.ts";
import type { Relatives } from "./relatives.ts";
import type { ResetLog } from "./reset-log.ts";

/** What a space needs of its store. */
export interface SpaceStore {
  readonly capacity: Capacity;
  readonly relatives: Relatives<PlanTable>;
  readonly resetLog: ResetLog;
  /** A keyed hash of a key, the same for all tables. */
  placeHashOf(key: string): number;
  /** The plan's table, if there is one: a store lets empty tables go. */
  find(plan: Plan): PlanTable | undefined;
  /**
   * The plan's table, made if necessary. If limits are chosen per call and there are no bytes for another plan, the
   * table has no slots and is retired already.
   */
  make(plan: Plan, now: TimeCell, isChosenPerCall: boolean): PlanTable;
  /** Drops a few idle keys, and sets in its capacity when to do so again. */
  sweepStep(): void;
  /** Counts a new key. */
  inserted(): void;
}
