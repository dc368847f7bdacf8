import ALGORITHMS from "../../algorithms/limits/limits.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { hasChosenName, sealLimit } from "../../core/limits/limit-common.ts";
import { createPlan, type Plan } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { Figures, LimitWords, ReportWords } from "./messages.ts";

interface PlanWords extends Pick<Plan, "scope" | "limiter" | "onChange"> {
  readonly choosesLimits: boolean;
  readonly limits: readonly LimitWords[];
}

export function encodeLimit(limit: Limit): LimitWords {
  return [limit, hasChosenName(limit)];
}

export function decodeLimit([limit, isChosen]: LimitWords): Limit {
  return sealLimit(isChosen ? limit.name : undefined, ALGORITHMS[limit.algorithm], limit);
}

/** What the primary has to know of a space. */
export function encodePlan({ scope, limiter, onChange, limits }: Plan, choosesLimits: boolean): string {
  return JSON.stringify({ scope, limiter, onChange, choosesLimits, limits: limits.map(encodeLimit) });
}

export function decodePlan(text: string): { readonly plan: Plan; readonly choosesLimits: boolean } {
  const { scope, limiter, onChange, choosesLimits, limits } = JSON.parse(text) as PlanWords;
  return { plan: createPlan(scope, limiter, limits.map(decodeLimit), onChange), choosesLimits };
}

/** A report of so many limits. That of a simple call is short, because such calls are mostly encoding. */
export function encodeReport(report: Report, count: number): Figures | ReportWords {
  if (!isPlain(report)) {
    const keptLimits = Array.from(report.keptLimits, (limit) => (limit === undefined ? null : encodeLimit(limit)));
    return { ...report, waitUs: report.waitUs.map(finite), keptLimits };
  }
  const figures: (number | null)[] = [report.admitted ? 1 : 0, report.resets ?? null];
  for (let i = 0; i < count; i += 1) {
    figures.push(report.conforms[i] ? 1 : 0, report.used[i]!, finite(report.waitUs[i]!));
    figures.push(report.usedAfterWait[i]!, report.resetUs[i]!);
  }
  return figures;
}

function isPlain(report: Report): boolean {
  const { overflow, block, overflowOf, resetsOf, untilUs, lacksCapacity, isView, keptLimits } = report;
  if (overflow !== undefined || block !== undefined || overflowOf.length > 0 || resetsOf.length > 0) return false;
  return untilUs.length === 0 && lacksCapacity.length === 0 && isView.length === 0 && keptLimits.length === 0;
}

function finite(number: number): number | null {
  return number === Number.POSITIVE_INFINITY ? null : number;
}

/**
 * A report of a decision at this moment of the primary. Later calls tell by the primary's time what they correct, so it
 * says for every limit when its units leave. `resetsOf` makes the resets of a receipt.
 */
export function decodeReport(
  words: Figures | ReportWords,
  nowUs: number,
  resetsOf: (resets: number) => number,
): Report {
  const report = "admitted" in words ? decodeWhole(words, resetsOf) : new Report((words.length - 2) / 5);
  if (!("admitted" in words)) {
    report.admitted = words[0] === 1;
    if (typeof words[1] === "number") report.resets = resetsOf(words[1]);
    for (let i = 0, at = 2; at < words.length; i += 1, at += 5) {
      report.conforms[i] = words[at] === 1;
      report.used[i] = words[at + 1]!;
      report.waitUs[i] = words[at + 2] ?? Number.POSITIVE_INFINITY;
      report.usedAfterWait[i] = words[at + 3]!;
      report.resetUs[i] = words[at + 4]!;
    }
  }
  for (let i = 0; i < report.resetUs.length; i += 1) report.untilUs[i] ||= nowUs + report.resetUs[i]!;
  return report;
}

function decodeWhole(words: ReportWords, resetsOf: (resets: number) => number): Report {
  return Object.assign(new Report(), words, {
    waitUs: words.waitUs.map((us) => us ?? Number.POSITIVE_INFINITY),
    keptLimits: words.keptLimits.map((limit) => (limit === null ? undefined : decodeLimit(limit))),
    resets: typeof words.resets === "number" ? resetsOf(words.resets) : undefined,
    resetsOf: words.resetsOf.map((resets) => (typeof resets === "number" ? resetsOf(resets) : undefined)),
    // The worker has other indexes of keys.
    block: words.block && { ...words.block, keyIndex: undefined },
  });
}
