import type { Spread } from "./figures.ts";
import type { Report } from "./results.ts";
import type { Judged } from "./targets.ts";

type TableRow = { readonly row: string; readonly figures: Readonly<Record<string, Spread>> };

export interface Column {
  readonly title: string;
  readonly align: "left" | "right";
  /** The text of a row's cell. `rows`: all rows of the table. */
  readonly cell: (row: TableRow, rows: readonly TableRow[]) => string;
}

export interface Table {
  readonly id: string;
  readonly title?: string;
  /** The ids of its rows, in order. Only measured ones are shown. */
  readonly rows: readonly string[];
  readonly columns: readonly Column[];
}

/** The measured parts of a page, by the names of their blocks. */
export type Sections = Readonly<Record<string, readonly Table[]>>;

export function medianColumn(title: string, figure: string, format: (value: number) => string = numberText): Column {
  return { title, align: "right", cell: ({ figures }) => textOf(figures[figure], ({ median }) => format(median)) };
}

export function rangeColumn(figure: string, format: (value: number) => string = numberText): Column {
  const rangeText = ({ min, max }: Spread) => `${format(min)} to ${format(max)}`;
  return { title: "min to max", align: "right", cell: ({ figures }) => textOf(figures[figure], rangeText) };
}

/** A row's median over the least of these rows, or the other way round if less is faster. */
export function timesColumn(
  title: string,
  figure: string,
  basesOf: (row: string) => readonly string[],
  digits = 2,
  better: "more" | "less" = "more",
): Column {
  const cell: Column["cell"] = ({ row, figures }, rows) => {
    const bases = rows.filter((one) => basesOf(row).includes(one.row)).flatMap((one) => one.figures[figure] ?? []);
    const own = figures[figure]?.median;
    if (bases.length === 0 || own === undefined) return "";
    const times = own / Math.min(...bases.map(({ median }) => median));
    return (better === "more" ? times : 1 / times).toFixed(digits);
  };
  return { ...RIGHT(title), cell };
}

export function textColumn(title: string, textOfRow: (id: string) => string): Column {
  return { title, align: "left", cell: ({ row }) => textOfRow(row) };
}

function textOf(spread: Spread | undefined, format: (spread: Spread) => string): string {
  return spread === undefined ? "" : format(spread);
}

/** As in 9.4, 57.3, 1,731. */
export function numberText(value: number): string {
  const digits = value < 100 ? 1 : 0;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/**
 * Replaces the measured blocks of a page; the prose around them stays. A block begins with `<!-- bench: NAME -->` and
 * ends with `<!-- bench ends -->`.
 *
 * @throws Error when the page lacks a block.
 */
export function fillPage(page: string, report: Report, sections: Sections): string {
  const blocks = Object.entries(sections).map(([name, tables]) => [name, tablesText(report, tables)] as const);
  const setting = textTable([LEFT("of this run"), LEFT("")], Object.entries(report.setting));
  const all = [
    ["setting", [setting, ...missesText(report)].join("\n\n")],
    ["targets", targetTable(report.targets)],
    ...blocks,
  ] as const;
  return all.reduce((text, [name, content]) => fillBlock(text, name, content), page);
}

function fillBlock(page: string, name: string, content: string): string {
  const begin = `<!-- bench: ${name} -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf("<!-- bench ends -->", from);
  if (from < 0 || to < 0) throw new Error(`expected the page to have a block ${begin} with an end`);
  return `${page.slice(0, from + begin.length)}\n\n${content}\n\n${page.slice(to)}`;
}

export function consoleText(report: Report, sections: Sections): string {
  const judged = report.targets.filter(({ verdict }) => verdict !== "not measured");
  const tables = tablesText(report, Object.values(sections).flat());
  const parts = [tables, ...(judged.length > 0 ? [targetTable(judged)] : []), ...missesText(report)];
  return `\n${parts.join("\n\n")}\n`;
}

function tablesText({ rows }: Report, tables: readonly Table[]): string {
  const texts = tables.flatMap(({ id: table, title, rows: ids, columns }) => {
    const own = ids.flatMap((id): TableRow[] => {
      const figures = rows.find(({ row }) => row === id)?.tables[table];
      return figures === undefined ? [] : [{ row: id, figures }];
    });
    if (own.length === 0) return [];
    const lines = own.map((row) => columns.map(({ cell }) => cell(row, own)));
    return [`${title === undefined ? "" : `### ${title}\n\n`}${textTable(columns, lines)}`];
  });
  return texts.join("\n\n");
}

function missesText({ misses }: Report): string[] {
  const names = new Map<string, string[]>();
  for (const { kind, name, reason } of misses) {
    const ending = ` ${kind}: ${reason}`;
    names.set(ending, [...(names.get(ending) ?? []), name]);
  }
  if (names.size === 0) return [];
  return [`Not measured:\n\n${Array.from(names, ([ending, some]) => `- ${some.join(", ")}${ending}`).join("\n")}`];
}

function targetTable(targets: readonly Judged[]): string {
  const ranges = targets.some(({ range }) => range !== undefined) ? (["min to max"] as const) : [];
  const processor = targets.some((one) => one.byProcessor !== undefined) ? (["by processor time"] as const) : [];
  const titles = ["aim", "measured", ...ranges, ...processor];
  const lines = targets.map(({ text, aim, measured, range, byProcessor, verdict }) => {
    const spreads = [...ranges.map(() => range ?? ""), ...processor.map(() => byProcessor ?? "")];
    return [text, aim, measured, ...spreads, verdict];
  });
  return textTable([LEFT("target"), ...titles.map(RIGHT), LEFT("verdict")], lines);
}

export const LEFT = (title: string) => ({ title, align: "left" }) as const;
export const RIGHT = (title: string) => ({ title, align: "right" }) as const;

/** A Markdown table with padded columns, which is as readable in a terminal. */
export function textTable(columns: readonly Pick<Column, "title" | "align">[], rows: readonly (readonly string[])[]) {
  const widths = columns.map(({ title }, i) => Math.max(3, title.length, ...rows.map((row) => row[i]!.length)));
  const pad = (cell: string, i: number) => {
    return columns[i]!.align === "left" ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!);
  };
  const line = (cells: readonly string[]) => `| ${cells.map(pad).join(" | ")} |`;
  const rule = columns.map(({ align }, i) => `${"-".repeat(widths[i]! - 1)}${align === "left" ? "-" : ":"}`);
  return [line(columns.map(({ title }) => title)), line(rule), ...rows.map(line)].join("\n");
}
