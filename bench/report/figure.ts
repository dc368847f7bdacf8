import type { TableId } from "../workloads/job.ts";
import type { Results, Row } from "./results.ts";

/** A number among the results: less is better. */
export type Figure =
  /** Nanoseconds a decision, of the fastest of these contenders. */
  | { readonly of: "ns"; readonly table: TableId; readonly entries: readonly string[] }
  /** The same, of the fastest rival that keeps all the keys. */
  | { readonly of: "fastest rival"; readonly table: TableId }
  | { readonly of: "bytesPerKey" | "worstStallMs"; readonly entry: string };

/** How many times better `ours` is than `theirs`. */
export interface Ratio {
  readonly ours: Figure;
  readonly theirs: Figure;
}

/** The figure's median, if it was measured. */
export function figureOf(figure: Figure, results: Results): number | undefined {
  switch (figure.of) {
    case "ns":
      return fastest(rowsOf(results, figure.table).filter(({ entry }) => figure.entries.includes(entry)));
    case "fastest rival":
      return fastest(rowsOf(results, figure.table).filter(({ family, forgets }) => family === "rival" && !forgets));
    case "bytesPerKey":
    case "worstStallMs":
      return results.weights.find(({ entry }) => entry === figure.entry)?.[figure.of].median;
    default:
      return figure satisfies never;
  }
}

export function ratioOf({ ours, theirs }: Ratio, results: Results): number | undefined {
  const a = figureOf(ours, results);
  const b = figureOf(theirs, results);
  return a === undefined || b === undefined ? undefined : b / a;
}

function rowsOf(results: Results, table: TableId): readonly Row[] {
  return results.tables.find(({ id }) => id === table)?.rows ?? [];
}

function fastest(rows: readonly Row[]): number | undefined {
  return rows.length === 0 ? undefined : Math.min(...rows.map(({ ns }) => ns.median));
}
