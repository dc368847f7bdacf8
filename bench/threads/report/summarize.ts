import type { Miss } from "../../report/results.ts";
import { spreadOf } from "../../report/spread.ts";
import { type FinishedTask, nameOf } from "../orchestrate/task.ts";
import { GROUPS, type Row, THREAD_COUNTS } from "../row.ts";
import type { ThreadResults, ThreadRow, ThreadSpeed } from "./results.ts";

/** Brings the rounds of all tasks together, in the order of the rows. */
export function summarizeThreads(finished: readonly FinishedTask[], rows: readonly Row[]): ThreadResults {
  const tables = GROUPS.map(({ id, title }) => {
    const own = rows.filter(({ group }) => group === id).map((row) => summaryOf(row, finished));
    return { id, title, rows: own.filter(({ speeds }) => speeds.length > 0) };
  });
  return { tables: tables.filter((table) => table.rows.length > 0), misses: missesOf(finished) };
}

function summaryOf(row: Row, finished: readonly FinishedTask[]): ThreadRow {
  const speeds = THREAD_COUNTS.flatMap((threads): ThreadSpeed[] => {
    const values = finished.flatMap(({ task, outcome }) =>
      task.row === row && task.threads === threads && outcome.kind === "measured" ? [outcome.perSecond] : [],
    );
    return values.length === 0 ? [] : [{ threads, perSecond: spreadOf(values) }];
  });
  return { row: row.id, name: row.name, options: row.options, speeds };
}

/** One for each reason. */
function missesOf(finished: readonly FinishedTask[]): Miss[] {
  const misses = new Map<string, Miss>();
  for (const { task, outcome } of finished) {
    if (outcome.kind === "measured") continue;
    const { kind, reason } = outcome;
    const before = misses.get(`${kind} ${reason}`);
    const what = before === undefined ? nameOf(task) : `${before.what}, ${nameOf(task)}`;
    misses.set(`${kind} ${reason}`, { kind, what, reason });
  }
  return [...misses.values()];
}
