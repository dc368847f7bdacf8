import type { Miss } from "../../report/results.ts";
import type { ThreadResults, ThreadRow } from "../../threads/report/results.ts";
import { type GroupId, THREAD_COUNTS, type ThreadCount } from "../../threads/row.ts";

/** Rounds that differ by a million a second either way, or by a thousand where there are fewer. */
export function threadRow(row: string, medians: Partial<Record<ThreadCount, number>>): ThreadRow {
  const speeds = THREAD_COUNTS.flatMap((threads) => {
    const median = medians[threads];
    if (median === undefined) return [];
    const apart = median > 1e6 ? 1e6 : 1e3;
    return [{ threads, perSecond: { median, min: median - apart, max: median + apart } }];
  });
  return { row, name: row, options: "default", speeds };
}

export function threadResults(
  tables: Partial<Record<GroupId, readonly ThreadRow[]>>,
  misses: readonly Miss[] = [],
): ThreadResults {
  return {
    tables: Object.entries(tables).map(([id, rows]) => ({ id: id as GroupId, title: `Title of ${id}`, rows })),
    misses,
  };
}
