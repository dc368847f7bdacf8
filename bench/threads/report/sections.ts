import type { Detail } from "../../report/sections.ts";
import { type Column, textTable } from "../../report/text-table.ts";
import { THREAD_COUNTS, type ThreadCount } from "../row.ts";
import { millionText } from "./million-text.ts";
import type { ThreadResults, ThreadRow, ThreadTable } from "./results.ts";

/** The tables of the report. On a page they have headings of this level. */
export function threadSections({ tables, misses }: ThreadResults, detail: Detail): string[] {
  const sections = tables.map((table) => `### ${table.title}\n\n${speedTable(table, detail)}`);
  if (misses.length > 0) {
    const lines = misses.map(({ kind, what, reason }) => `- ${what} ${kind}: ${reason}`);
    sections.push(`### Across threads: not measured\n\n${lines.join("\n")}`);
  }
  return sections;
}

function speedTable({ rows }: ThreadTable, detail: Detail): string {
  const head = detail === "with options" ? [left("who"), left("set up as")] : [left("who")];
  const columns = THREAD_COUNTS.flatMap((threads) => [
    right(threads === 1 ? "1 thread" : `${threads} threads`),
    right("min to max"),
    ...(threads === 1 ? [] : [right("× 1 thread")]),
  ]);
  const lines = rows.map((row) => [
    ...(detail === "with options" ? [row.name, row.options] : [row.name]),
    ...THREAD_COUNTS.flatMap((threads) => speedCells(row, threads)),
  ]);
  return textTable([...head, ...columns], lines);
}

function speedCells(row: ThreadRow, threads: ThreadCount): string[] {
  const speed = spreadOf(row, threads);
  const alone = spreadOf(row, 1);
  const cells =
    speed === undefined
      ? ["", ""]
      : [millionText(speed.median), `${millionText(speed.min)} to ${millionText(speed.max)}`];
  if (threads === 1) return cells;
  const scale = speed === undefined || alone === undefined ? "" : (speed.median / alone.median).toFixed(2);
  return [...cells, scale];
}

function spreadOf({ speeds }: ThreadRow, threads: ThreadCount): ThreadRow["speeds"][number]["perSecond"] | undefined {
  return speeds.find((one) => one.threads === threads)?.perSecond;
}

function left(title: string): Column {
  return { title, align: "left" };
}

function right(title: string): Column {
  return { title, align: "right" };
}
