import { numberText } from "../../report/number-text.ts";
import type { Spread } from "../../report/spread.ts";
import { type Column, textTable } from "../../report/text-table.ts";
import { FRAMEWORKS } from "../variant.ts";
import type { Results, Row } from "./results.ts";
import type { Judged } from "./targets.ts";

/** Whether rows say how a server was set up. */
export type Detail = "with options" | "without options";

/** A table for each framework. On a page they have headings of this level. */
export function resultSections({ rows, failures }: Results, detail: Detail): string[] {
  const sections = FRAMEWORKS.flatMap((framework) => {
    const own = rows.filter((row) => row.framework === framework);
    return own.length === 0 ? [] : [`### ${framework}\n\n${speedTable(own, detail)}`];
  });
  if (failures.length > 0) {
    const lines = failures.map(({ variant, reason }) => `- ${variant}: ${reason}`);
    sections.push(`### Failed\n\n${lines.join("\n")}`);
  }
  return sections;
}

export function targetTable(targets: readonly Judged[]): string {
  const columns = [
    left("target"),
    ...["aim", "measured", "min to max", "by processor time"].map(right),
    left("verdict"),
  ];
  const lines = targets.map(({ text, aim, measured, processor, verdict }) => {
    return [text, aim, ratioText(measured), ratioRange(measured), ratioText(processor), verdict];
  });
  return textTable(columns, lines);
}

function speedTable(rows: readonly Row[], detail: Detail): string {
  const titles = ["requests/s", "min to max", "× bare", "min to max", "µs each", "× bare", "busy"];
  const lines = rows.map((row) => [
    ...headCells(row, detail),
    numberText(row.requestsPerSecond.median),
    `${numberText(row.requestsPerSecond.min)} to ${numberText(row.requestsPerSecond.max)}`,
    ...(row.front === "nothing" ? ["", ""] : [ratioText(row.ratio), ratioRange(row.ratio)]),
    numberText(row.cpuUsPerRequest.median),
    row.front === "nothing" ? "" : ratioText(row.cpuRatio),
    `${(row.busy.median * 100).toFixed(0)} %`,
  ]);
  return textTable([...headColumns(detail), ...titles.map(right)], lines);
}

function headColumns(detail: Detail): Column[] {
  const front = left("in front of the handler");
  return detail === "with options" ? [front, left("set up as")] : [front];
}

function headCells({ front, options }: Row, detail: Detail): string[] {
  return detail === "with options" ? [front, options] : [front];
}

function ratioText(ratio: Spread | undefined): string {
  return ratio?.median.toFixed(3) ?? "";
}

function ratioRange(ratio: Spread | undefined): string {
  return ratio === undefined ? "" : `${ratio.min.toFixed(2)} to ${ratio.max.toFixed(2)}`;
}

function left(title: string): Column {
  return { title, align: "left" };
}

function right(title: string): Column {
  return { title, align: "right" };
}
