import type { Results, Row, WeightRow } from "../../report/results.ts";
import type { Spread } from "../../report/spread.ts";
import type { TableId } from "../../workloads/job.ts";

function spread(median: number): Spread {
  return { median, min: median - 1, max: median + 1 };
}

export function row(entry: string, ns: number, rest: Partial<Row> = {}): Row {
  return { entry, name: entry, options: "default", family: "tollgate", forgets: false, ns: spread(ns), ...rest };
}

export function rival(entry: string, ns: number, rest: Partial<Row> = {}): Row {
  return row(entry, ns, { family: "rival", ...rest });
}

export function weight(entry: string, bytesPerKey: number, worstStallMs: number): WeightRow {
  const { ns: _ns, ...named } = row(entry, 0);
  return {
    ...named,
    bytesPerKey: spread(bytesPerKey),
    worstStallMs: spread(worstStallMs),
    collectMs: spread(5),
  };
}

export function results(tables: Partial<Record<TableId, readonly Row[]>>, weights: readonly WeightRow[] = []): Results {
  return {
    tables: Object.entries(tables).map(([id, rows]) => ({ id: id as TableId, title: `Title of ${id}`, rows })),
    weights,
    misses: [],
  };
}
