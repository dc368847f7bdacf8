import { writeNew } from "../../algorithms/kernel.ts";
import { readUs } from "../../core/clock.ts";
import { isSameLimit } from "../../core/plan.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import type { PlanTable } from "./plan-table.ts";
import type { PlanView } from "./plan-view.ts";
import { insertRest, restOf } from "./rest.ts";
import type { SpaceStore } from "./space-store.ts";
import type { TableKey } from "./stored-key.ts";

/** Forgets what a key has used under a view's limits, whatever their numbers. Other limits stay counted. */
export function forgetKey(view: PlanView, store: SpaceStore, key: string): void {
  store.capacity.mayHaveRoom();
  store.resetLog.add(view.plan.scope, store.placeHashOf(key));
  for (const table of view.tablesWith(key)) {
    if (hasOnlyOwn(view, table)) table.drop(key);
    else forgetOwn(view, store, table, key);
  }
}

/** Forgets what all keys have used under a view's limits. */
export function forgetAll(view: PlanView, store: SpaceStore): void {
  store.capacity.mayHaveRoom();
  store.resetLog.add(view.plan.scope);
  for (const table of view.everyTable) {
    if (hasOnlyOwn(view, table)) table.clear();
    else {
      for (const key of table.storedKeys()) forgetOwn(view, store, table, key);
      forgetInBuckets(view, table);
    }
  }
}

/** Overflow buckets keep their places, with the cells of new keys. */
function forgetInBuckets(view: PlanView, table: PlanTable): void {
  if (!table.hasOverflow) return;
  const now = createTimeCell(readUs(view.context.clock));
  table.reach(now);
  const { cells } = table.overflow(now);
  const { width } = table.compiled;
  for (let base = 0; base < cells.length; base += width) beginOwn(view, table, cells, base, now);
}

/** Writes the cells of a new key for those limits of a table that the view has. */
function beginOwn(
  view: PlanView,
  { compiled, plan }: PlanTable,
  cells: Float64Array,
  base: number,
  now: TimeCell,
): void {
  const rest = restOf(view.plan, plan);
  for (const { kernel, offset } of compiled.parts) {
    if (!rest.some((limit) => isSameLimit(limit, kernel.limit))) writeNew(kernel, cells, base + offset, now);
  }
}

/** Moves a key to a row of the other limits. */
function forgetOwn(view: PlanView, store: SpaceStore, table: PlanTable, key: TableKey): void {
  const now = createTimeCell(readUs(view.context.clock));
  table.reach(now);
  const base = table.locateOnce(key);
  if (base < 0) return;
  const { compiled } = table;
  const cells = table.cells.slice(base, base + compiled.width);
  const rest = insertRest(view, store, { table, compiled, cells, base: 0 }, key, now);
  table.drop(key);
  if (rest !== "no slot") return;
  // Without a slot for another row, the key keeps its row, with the cells of a new key.
  beginOwn(view, table, cells, 0, now);
  table.restore(key, cells, now);
}

function hasOnlyOwn(view: PlanView, table: PlanTable): boolean {
  return restOf(view.plan, table.plan).length === 0;
}
