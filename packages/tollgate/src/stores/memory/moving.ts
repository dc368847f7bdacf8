import { type CountedCells, carryOverKey } from "../../algorithms/carry-over.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { createPlan, isSameLimit, type Plan } from "../../core/plan.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { MemoryScope } from "./memory-scope.ts";
import { RowChunks } from "./row-chunks.ts";
import type { RowTable } from "./row-table.ts";

/** What a key has used under another list: a copy of its row. */
export interface FormerRow extends CountedCells {
  readonly table: RowTable;
}

/** The limits of another list under which a key stays counted when its row goes. */
export function restOf({ limits }: Plan, other: Plan): Limit[] {
  return other.limits.filter((limit) => !limits.some((own) => isSameLimit(own, limit)));
}

/** The rows of a key in other tables that count a limit of this one. Idle rows count as forgotten, and are dropped. */
export function formerRows(
  scope: MemoryScope,
  table: RowTable,
  text: string,
  now: TimeCell,
  dropsIdle: boolean,
): FormerRow[] {
  const found: FormerRow[] = [];
  for (const other of scope.tablesWith(text, table.plan)) {
    if (other === table) continue;
    other.reach(now);
    const row = copyOf(other, text);
    if (row === undefined) continue;
    if (!other.compiled.isIdle(row.cells, 0, now)) found.push(row);
    else if (dropsIdle) other.drop(text);
  }
  return found;
}

/** A copy of a key's row. */
export function copyOf(table: RowTable, text: string): FormerRow | undefined {
  const base = table.locateOnce(text);
  if (base < 0) return undefined;
  return { table, parts: table.compiled.parts, cells: table.cells.slice(base, base + table.width) };
}

/** Makes the table of a plan. */
export type TableOf = (plan: Plan) => RowTable;

/** What stays of a row whose key moves to `to`, as a row of the other limits; `undefined` if nothing counts there. */
export function restRow(to: Plan, row: FormerRow, now: TimeCell, tableOf: TableOf): FormerRow | undefined {
  const { scope, limiter, onChange } = row.table.plan;
  const limits = restOf(to, row.table.plan);
  if (limits.length === 0) return undefined;
  const table = tableOf(createPlan(scope, limiter, limits, onChange));
  table.reach(now);
  const { compiled } = table;
  const cells = new Float64Array(compiled.width);
  carryOverKey(compiled, cells, [row], now);
  return compiled.isIdle(cells, 0, now) ? undefined : { table, parts: compiled.parts, cells };
}

/** The rows of what stays behind when a key moves to a table; `undefined` if the store has no capacity for these. */
export function capacityToMove(
  table: RowTable,
  former: readonly FormerRow[],
  text: string,
  now: TimeCell,
  tableOf: TableOf,
): FormerRow[] | undefined {
  const rests = former.flatMap((row) => restRow(table.plan, row, now, tableOf) ?? []);
  return hasCapacity([table, ...rests.map((row) => row.table)], former.length, text) ? rests : undefined;
}

/** Whether the store has capacity for rows of a key in these tables when other rows of the key are dropped. */
function hasCapacity(tables: readonly RowTable[], dropped: number, text: string): boolean {
  const [{ capacity }] = tables as [RowTable];
  const added = tables.length - dropped;
  let bytes = added * RowChunks.bytesOf(text);
  for (const table of tables) bytes += table.bytesForNext(text);
  return capacity.size + added <= capacity.maxKeys && bytes <= capacity.bytesLeft;
}

/** Replaces the rows of a key by one in this table, and those of what stays behind. */
export function move(
  table: RowTable,
  cells: Float64Array,
  former: readonly FormerRow[],
  rests: readonly FormerRow[],
  text: string,
): void {
  for (const row of former) row.table.drop(text);
  table.insert(text, cells);
  for (const row of rests) row.table.insert(text, row.cells);
}
