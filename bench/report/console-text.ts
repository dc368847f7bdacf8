import { threadSections } from "../threads/report/sections.ts";
import type { Report } from "./report.ts";
import { resultSections, targetTable } from "./sections.ts";

/** What a run prints at its end. */
export function consoleText({ results, threads, targets }: Pick<Report, "results" | "threads" | "targets">): string {
  const measured = targets.filter(({ verdict }) => verdict !== "not measured");
  const sections = [...resultSections(results, "without options"), ...threadSections(threads, "without options")];
  if (measured.length > 0) sections.push(`### Targets\n\n${targetTable(measured)}`);
  return `\n${sections.join("\n\n")}\n`;
}
