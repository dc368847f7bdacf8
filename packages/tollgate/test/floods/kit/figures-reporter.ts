import type { Reporter, TestModule } from "vitest/node";
import type { Figures } from "./flood-table.ts";

/** Prints the measured figures of all tests as tables in Markdown. */
export class FiguresReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tables = new Map<string, Figures["cells"][]>();
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        for (const { table, cells } of test.meta().figures ?? []) {
          const rows = tables.get(table) ?? [];
          rows.push(cells);
          tables.set(table, rows);
        }
      }
    }
    for (const [table, rows] of tables) process.stdout.write(`\n${table}\n\n${markdownOf(rows)}\n`);
  }
}

function markdownOf(rows: readonly Figures["cells"][]): string {
  const heads = Object.keys(rows[0]!);
  const lines = [heads, heads.map(() => "---"), ...rows.map((row) => heads.map((head) => row[head] ?? ""))];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
