export interface Column {
  readonly title: string;
  readonly align: "left" | "right";
}

/** A Markdown table whose columns are padded, so that it is as readable in a terminal. */
export function textTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map(({ title }, i) => Math.max(3, title.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]) => {
    const padded = cells.map((cell, i) => {
      return columns[i]!.align === "left" ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!);
    });
    return `| ${padded.join(" | ")} |`;
  };
  const rule = columns.map(({ align }, i) => {
    const dashes = "-".repeat(widths[i]! - 1);
    return align === "left" ? `${dashes}-` : `${dashes}:`;
  });
  return [line(columns.map(({ title }) => title)), line(rule), ...rows.map(line)].join("\n");
}
