import { writeNew } from "../../algorithms/kernel.ts";
import { readUs } from "../../core/clock.ts";
import { isSameLimit } from "../../core/plan.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import type { ListVerbs } from "./list-verbs.ts";
import { copyOf, restOf, restRow } from "./moving.ts";
import type { RowTable } from "./row-table.ts";
import type { SpaceStore } from "./space-store.ts";

/** Forgets what a key has used under a list's limits, whatever their numbers. Other limits stay counted. */
export function forgetKey(list: ListVerbs, store: SpaceStore, key: string): void {
  const { plan, scope } = list;
  store.capacity.mayHaveRoom();
  const text = store.texts.of(key);
  const tables = scope.tablesWith(text, plan).filter((table) => table.locateOnce(text) >= 0);
  if (tables.length > 0) {
    const { limitHashes } = list;
    store.resetLog.addOfKey(limitHashes, store.texts.hashOf(text));
  }
  for (const table of tables) {
    if (hasOnlyOwn(list, table)) table.drop(text);
    else forgetOwn(list, table, text);
  }
}

/** Forgets what all keys have used under a list's limits. */
export function forgetAll(list: ListVerbs, store: SpaceStore): void {
  const { plan, scope } = list;
  store.capacity.mayHaveRoom();
  const tables = scope.relativesOf(plan);
  if (tables.length > 0) store.resetLog.addOfAll(list.limitHashes);
  for (const table of tables) {
    if (hasOnlyOwn(list, table)) table.clear();
    else {
      for (const text of table.texts()) forgetOwn(list, table, text);
      forgetInBuckets(list, table);
    }
  }
}

/** Moves a key to a row of the other limits. */
function forgetOwn(list: ListVerbs, table: RowTable, text: string): void {
  const now = createTimeCell(readUs(list.context.clock));
  table.reach(now);
  const row = copyOf(table, text);
  if (row === undefined) return;
  const rest = restRow(list.plan, row, now, (plan) => list.scope.tableOf(plan, now, true));
  if (rest === undefined) table.drop(text);
  else if (rest.table.bytesForNext(text) <= table.capacity.bytesLeft) {
    table.drop(text);
    rest.table.insert(text, rest.cells);
    // Without bytes for another row, the key keeps its row.
  } else beginOwn(list, table, table.cells, table.locateOnce(text), now);
}

/** Overflow buckets cannot move. */
function forgetInBuckets(list: ListVerbs, table: RowTable): void {
  const { cells } = table.buckets;
  if (cells === undefined) return;
  const now = createTimeCell(readUs(list.context.clock));
  table.reach(now);
  for (let base = 0; base < cells.length; base += table.width) beginOwn(list, table, cells, base, now);
}

/** Writes the cells of a new key for those limits of a table that the list has. */
function beginOwn(list: ListVerbs, { compiled }: RowTable, cells: Float64Array, base: number, now: TimeCell): void {
  const { limits } = list.plan;
  for (const { kernel, offset } of compiled.parts) {
    if (limits.some((limit) => isSameLimit(limit, kernel.limit))) writeNew(kernel, cells, base + offset, now);
  }
}

function hasOnlyOwn({ plan }: ListVerbs, table: RowTable): boolean {
  return restOf(plan, table.plan).length === 0;
}
