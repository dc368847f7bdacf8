import type { Judged } from "./bounds.ts";
import type { Spread } from "./figures.ts";
import type { Report, Spreads } from "./report.ts";

export interface Column {
  readonly title: string;
  /** The text of a row's cell. `figuresOf`: the figures of any row of the table. */
  readonly cell: (row: string, figuresOf: (row: string) => Spreads) => string;
}

export interface Table {
  readonly id: string;
  readonly title: string;
  /** The names of its rows by their ids, in order. Only measured ones are shown, and only if there are columns. */
  readonly rows: Readonly<Record<string, string>>;
  readonly columns: readonly Column[];
}

export function medianColumn(title: string, figure: string, format: (value: number) => string = numberText): Column {
  return { title, cell: (row, figuresOf) => textOf(figuresOf(row)[figure], ({ median }) => format(median)) };
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
 * Replaces the measured block of one bench in the page, between `<!-- bench: NAME -->` and `<!-- bench ends -->`.
 *
 * @throws Error when the page lacks the block.
 */
export function fillPage(page: string, name: string, content: string): string {
  const begin = `<!-- bench: ${name} -->\n`;
  const start = page.indexOf(begin);
  const end = page.indexOf("<!-- bench ends -->", start);
  if (start < 0 || end < 0) throw new Error(`the page: expected a block ${begin.trim()}`);
  return `${page.slice(0, start)}${begin}\n${content}\n\n${page.slice(end)}`;
}

/**
 * The results of a run, in Markdown that is as readable in a terminal. Tables that share their columns are one table of
 * the first of these: what differs by table stands side by side. The file of the results has the rest.
 */
export function reportText({ setting, bounds, tables, failures }: Report, shown: readonly Table[]): string {
  const { date, rounds, machine, ...more } = setting;
  const items = Object.entries(more).map(([name, text]) => `- ${name}: ${text}`);
  const lines = [`- ${date}, rounds: ${rounds}, ${machine}`, ...items].flatMap(wrapped);
  const parts = [lines.join("\n")];
  if (failures.length > 0) parts.push(failures.map(({ name, reason }) => `- ${name} failed: ${reason}`).join("\n"));
  if (bounds.length > 0) parts.push(boundsTable(bounds));
  for (const columns of new Set(shown.map((table) => table.columns))) {
    const measured = shown.filter((table) => table.columns === columns && tables[table.id] !== undefined);
    if (measured.length > 0 && columns.length > 0) parts.push(measuredText(columns, measured, tables));
  }
  return parts.join("\n\n");
}

function measuredText(columns: readonly Column[], shown: readonly Table[], tables: Report["tables"]): string {
  const [first, ...others] = shown as readonly [Table, ...Table[]];
  const alone = others.length === 0;
  const places = alone ? columns.map((column) => ({ table: first, column })) : [];
  if (!alone) places.push(...shown.map((table) => ({ table, column: columns[0]! })));
  const cellOf = ({ id }: Table, { cell }: Column, row: string) =>
    tables[id]?.[row] === undefined ? "" : cell(row, (other) => tables[id]?.[other] ?? {});
  const names = new Map(shown.flatMap(({ rows }) => Object.entries(rows)));
  const lines = [...names]
    .filter(([row]) => shown.some(({ id }) => tables[id]?.[row] !== undefined))
    .map(([row, name]) => [name, ...places.map(({ table, column }) => cellOf(table, column, row))]);
  const titles = places.map(({ table, column }) => (alone ? column.title : table.title));
  return `**${alone ? first.title : columns[0]!.title}**\n\n${textTable(["", ...titles], lines)}`;
}

/** Bold: the bound does not hold. */
function boundsTable(bounds: readonly Judged[]): string {
  const lines = bounds.map(({ text, aim, measured, holds }) => {
    const now = textOf(measured, ({ median }) => median.toFixed(2));
    return [text, aim, holds || now === "" ? now : `**${now}**`];
  });
  return textTable(["what has to hold", "bound", "measured"], lines);
}

const MAX_COLUMNS = 120;

/** The lines of an item of a list. */
function wrapped(item: string): string[] {
  const lines: string[] = [];
  for (const word of item.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(word);
    else if (last.length + word.length < MAX_COLUMNS) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines;
}

/** The first column is text, the others are numbers. */
function textTable(titles: readonly string[], rows: readonly (readonly string[])[]) {
  const widths = titles.map((title, i) => Math.max(3, title.length, ...rows.map((row) => row[i]!.length)));
  const pad = (cell: string, i: number) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!));
  const line = (cells: readonly string[]) => `| ${cells.map(pad).join(" | ")} |`;
  const rule = widths.map((width, i) => `${"-".repeat(width + 1)}${i === 0 ? "-" : ":"}`);
  return [line(titles), `|${rule.join("|")}|`, ...rows.map(line)].join("\n");
}
