import { numberText } from "./number-text.ts";
import type { Results, Row, Table, WeightRow } from "./results.ts";
import type { Spread } from "./spread.ts";
import type { Judged } from "./targets.ts";
import { type Column, textTable } from "./text-table.ts";

/** Whether rows say how a contender was set up. */
export type Detail = "with options" | "without options";

/** The tables of the report. On a page they have headings of this level. */
export function resultSections({ tables, weights, misses }: Results, detail: Detail): string[] {
  const sections = tables.map((table) => `### ${table.title}\n\n${speedTable(table, detail)}`);
  if (weights.length > 0) sections.push(`### A million keys: memory and pauses\n\n${weightTable(weights, detail)}`);
  if (misses.length > 0) {
    const lines = misses.map(({ kind, what, reason }) => `- ${what} ${kind}: ${reason}`);
    sections.push(`### Not measured\n\n${lines.join("\n")}`);
  }
  return sections;
}

export function targetTable(targets: readonly Judged[]): string {
  const rows = targets.map(({ text, aim, measured, verdict }) => [text, aim, measured, verdict]);
  return textTable([left("target"), left("aim"), right("measured"), left("verdict")], rows);
}

function speedTable({ rows }: Table, detail: Detail): string {
  const rivals = rows.filter(({ family, forgets }) => family === "rival" && !forgets);
  const fastest = rivals.length === 0 ? undefined : Math.min(...rivals.map(({ ns }) => ns.median));
  const flexible = rows.find(({ entry }) => entry === "rate-limiter-flexible")?.ns.median;
  const columns = [
    ...headColumns(detail),
    right("ns"),
    right("min to max"),
    right("× the fastest rival"),
    right("× rate-limiter-flexible"),
  ];
  const lines = rows.map((row) => {
    const { median } = row.ns;
    return [...headCells(row, detail), numberText(median), range(row.ns), times(row, fastest), times(row, flexible)];
  });
  return textTable(columns, lines);
}

function weightTable(rows: readonly WeightRow[], detail: Detail): string {
  const titles = ["bytes a key", "min to max", "worst stall, ms", "min to max", "full collection, ms", "min to max"];
  const lines = rows.map((row) => {
    const spreads = [row.bytesPerKey, row.worstStallMs, row.collectMs];
    return [...headCells(row, detail), ...spreads.flatMap((spread) => [numberText(spread.median), range(spread)])];
  });
  return textTable([...headColumns(detail), ...titles.map(right)], lines);
}

function headColumns(detail: Detail): Column[] {
  return detail === "with options" ? [left("who"), left("set up as")] : [left("who")];
}

function headCells({ name, options, forgets }: Omit<Row, "ns">, detail: Detail): string[] {
  const who = forgets ? `${name} (forgets keys)` : name;
  return detail === "with options" ? [who, options] : [who];
}

/** How many times faster a row is. The empty loop decides nothing. */
function times({ family, ns }: Row, other: number | undefined): string {
  return other === undefined || family === "nothing" ? "" : (other / ns.median).toFixed(2);
}

function range({ min, max }: Spread): string {
  return `${numberText(min)} to ${numberText(max)}`;
}

function left(title: string): Column {
  return { title, align: "left" };
}

function right(title: string): Column {
  return { title, align: "right" };
}
