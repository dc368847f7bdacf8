import type { Report } from "./report.ts";
import { contenderTable, resultSections, targetTable } from "./sections.ts";

/** What a run prints at its end. */
export function consoleText({ results, targets }: Pick<Report, "results" | "targets">): string {
  const measured = targets.filter(({ verdict }) => verdict !== "not measured");
  const sections = [...resultSections(results), `### Contenders\n\n${contenderTable(results.contenders)}`];
  if (measured.length > 0) sections.push(`### Targets\n\n${targetTable(measured)}`);
  return `\n${sections.join("\n\n")}\n`;
}
