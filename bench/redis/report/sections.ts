import { numberText } from "../../report/number-text.ts";
import type { Spread } from "../../report/spread.ts";
import { type Column, textTable } from "../../report/text-table.ts";
import type { ContenderRow, Results, Row } from "./results.ts";
import type { Judged } from "./targets.ts";

/** A table for each number of calls in flight. On a page they have headings of this level. */
export function resultSections({ rows, failures }: Results): string[] {
  const depths = [...new Set(rows.map(({ inFlight }) => inFlight))];
  const sections = depths.map((inFlight) => {
    const own = rows.filter((row) => row.inFlight === inFlight);
    return `### ${inFlight} in flight\n\n${speedTable(own)}`;
  });
  if (failures.length > 0) {
    const lines = failures.map(({ variant, reason }) => `- ${variant}: ${reason}`);
    sections.push(`### Failed\n\n${lines.join("\n")}`);
  }
  return sections;
}

export function contenderTable(rows: readonly ContenderRow[]): string {
  const columns = [left("who"), left("set up as"), left("keys"), right("bytes a key")];
  const lines = rows.map(({ who, options, workloads, bytes }) => [who, options, workloads.join(", "), String(bytes)]);
  return textTable(columns, lines);
}

export function targetTable(targets: readonly Judged[]): string {
  const titles = ["aim", "measured", "min to max", "by processor time"];
  const columns = [left("target"), ...titles.map(right), left("verdict")];
  const lines = targets.map(({ text, aim, measured, range, processor, verdict }) => {
    return [text, aim, measured, range, processor, verdict];
  });
  return textTable(columns, lines);
}

function speedTable(rows: readonly Row[]): string {
  const titles = [
    ...["decisions/s", "min to max", "× INCR", "× rate-limiter-flexible", "p50 ms", "p99 ms", "min to max"],
    ...["client µs", "command µs", "server µs", "per command"],
  ];
  const lines = rows.map((row) => [
    row.workload,
    row.who,
    numberText(row.decisionsPerSecond.median),
    `${numberText(row.decisionsPerSecond.min)} to ${numberText(row.decisionsPerSecond.max)}`,
    ratioText(row.overIncr),
    ratioText(row.overFlexible),
    msText(row.p50Ms.median),
    msText(row.p99Ms.median),
    `${msText(row.p99Ms.min)} to ${msText(row.p99Ms.max)}`,
    usText(row.clientUs.median),
    usText(row.commandUs.median),
    usText(row.serverUs.median),
    batchText(row.commandsPerDecision.median),
  ]);
  return textTable([left("keys"), left("who"), ...titles.map(right)], lines);
}

function ratioText(ratio: Spread | undefined): string {
  return ratio?.median.toFixed(2) ?? "";
}

/** Some calls take a second of a thousandth of a millisecond, others twenty. */
function msText(ms: number): string {
  return ms < 0.1 ? ms.toFixed(4) : ms.toFixed(2);
}

function usText(us: number): string {
  return us.toFixed(2);
}

/** How many decisions go out in a command, where any do. */
function batchText(commandsPerDecision: number): string {
  return commandsPerDecision === 0 ? "" : numberText(1 / commandsPerDecision);
}

function left(title: string): Column {
  return { title, align: "left" };
}

function right(title: string): Column {
  return { title, align: "right" };
}
