import type { Plan } from "../../core/plan.ts";
import type { Capacity } from "./capacity.ts";
import type { HoldingSpace, LocalHold } from "./local-hold.ts";
import type { PlanTable } from "./plan-table.ts";

/** What a space needs of its store. */
export interface SpaceKeeper {
  readonly capacity: Capacity;
  /** The plan's table, if there is one: a store lets empty tables go. */
  find(plan: Plan): PlanTable | undefined;
  /**
   * The plan's table, made if there is none. Where there are no bytes for another plan, and its limits are chosen per
   * call, it is one that has no room and is retired already.
   */
  make(plan: Plan, nowUs: number, isChosenPerCall: boolean): PlanTable;
  /** A hold on a key of one of its spaces. */
  hold(space: HoldingSpace, key: string): LocalHold;
  /** Cleans up a little, and says in its room when to do so again. */
  step(): void;
  /** Counts a new key. */
  inserted(): void;
}
