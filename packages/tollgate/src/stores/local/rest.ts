import { type CellsOfKey, carryOverKey } from "../../algorithms/carry-over.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { createPlan, isSameLimit, type Plan } from "../../core/plan.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { PlanTable } from "./plan-table.ts";
import type { PlanView } from "./plan-view.ts";
import type { SpaceStore } from "./space-store.ts";
import type { TableKey } from "./stored-key.ts";

/** What a key or an overflow bucket has used under the plan of a relative. */
export interface FormerCount extends CellsOfKey {
  readonly table: PlanTable;
}

/** The limits of another list under which a key stays counted when its row goes. */
export function restOf({ limits }: Plan, other: Plan): Limit[] {
  return other.limits.filter((limit) => !limits.some((own) => isSameLimit(own, limit)));
}

/**
 * Inserts a row for the limits of a former row that a view's list does not have, if they count.
 *
 * @returns the table of that row; `undefined` if none is needed.
 */
export function insertRest(
  view: PlanView,
  store: SpaceStore,
  one: FormerCount,
  key: TableKey,
  now: TimeCell,
): PlanTable | "no slot" | undefined {
  const limits = restOf(view.plan, one.table.plan);
  if (limits.length === 0) return undefined;
  const { scope, limiter, onChange } = one.table.plan;
  const table = store.make(createPlan(scope, limiter, limits, onChange), now, true);
  table.join(view.families);
  table.users.include(one.table.users);
  table.reach(now);
  const { compiled } = table;
  const { scratch } = store.capacity;
  carryOverKey({ compiled, cells: scratch, base: 0 }, one, now);
  if (compiled.isIdle(scratch, 0, now)) return undefined;
  let slot = table.findSlot(key, now);
  if (slot < 0) {
    one.table.drop(key);
    slot = table.findSlot(key, now);
  }
  if (slot < 0) return "no slot";
  table.insert(slot, key, scratch);
  return table;
}
