import ALGORITHMS from "../../algorithms/limits/limits.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { hasChosenName, sealLimit } from "../../core/limits/limit-common.ts";
import { createPlan, type Plan } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import { type Answer, FIGURES, type LimitWords, type ReportWords } from "./messages.ts";

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

export function encodeReport(report: Report): ReportWords {
  const keptLimits = Array.from(report.keptLimits, (limit) => (limit === undefined ? null : encodeLimit(limit)));
  return Object.assign({}, report, { waitUs: report.waitUs.map(finite), keptLimits });
}

/** Adds the answer to a take from one key with so many limits. */
export function answerTake(words: unknown[], report: Report, count: number): void {
  if (!isPlain(report)) {
    words.push(encodeReport(report));
    return;
  }
  const { admitted, resets, conforms, used, waitUs, usedAfterWait, resetUs } = report;
  let fits = admitted;
  for (let i = 0; i < count; i += 1) fits &&= conforms[i]! && waitUs[i] === 0;
  if (fits) words.push(resets ?? -1);
  else words.push(null, admitted ? 1 : 0, resets ?? -1);
  for (let i = 0; i < count; i += 1) {
    words.push(used[i], resetUs[i]);
    if (!fits) words.push(conforms[i] ? 1 : 0, finite(waitUs[i]!), usedAfterWait[i]);
  }
}

/** Whether the figures of a report, and its resets, are all that it says. */
function isPlain(report: Report): boolean {
  const { overflow, block, overflowOf, resetsOf, untilUs, lacksCapacity, isView, keptLimits } = report;
  if (overflow !== undefined || block !== undefined || overflowOf.length > 0 || resetsOf.length > 0) return false;
  return untilUs.length === 0 && lacksCapacity.length === 0 && isView.length === 0 && keptLimits.length === 0;
}

function finite(number: number): number | null {
  return number === Number.POSITIVE_INFINITY ? null : number;
}

/** The resets of a receipt begin with the number of its primary. */
export const MOST_RESETS: number = 2 ** 32;

/** Reads the figures of a take from one key, with so many limits. */
export function readFigures({ words, nowUs, primary }: Answer, at: number, count: number): Report {
  const report = new Report(count);
  const fits = words[at] !== null;
  report.admitted = fits || words[at + 1] === 1;
  const head = fits ? at : at + 2;
  const resets = words[head] as number;
  if (resets >= 0) report.resets = primary * MOST_RESETS + resets;
  for (let i = 0, from = head + 1; i < count; i += 1, from += fits ? 2 : FIGURES) {
    report.used[i] = words[from] as number;
    report.resetUs[i] = words[from + 1] as number;
    report.conforms[i] = fits || words[from + 2] === 1;
    report.waitUs[i] = fits ? 0 : ((words[from + 3] as number | null) ?? Number.POSITIVE_INFINITY);
    report.usedAfterWait[i] = words[fits ? from : from + 4] as number;
  }
  return withUntils(report, nowUs);
}

/** Reads a report of this moment, by the primary's clock or by the limiter's own. */
export function decodeReport(words: ReportWords, nowUs: number, primary: number): Report {
  const resetsOf = (resets: unknown): number | undefined =>
    typeof resets === "number" ? primary * MOST_RESETS + resets : undefined;
  const report = Object.assign(new Report(), words, {
    waitUs: words.waitUs.map((us) => us ?? Number.POSITIVE_INFINITY),
    keptLimits: words.keptLimits.map((limit) => (limit === null ? undefined : decodeLimit(limit))),
    resets: resetsOf(words.resets),
    resetsOf: words.resetsOf.map(resetsOf),
    // The worker has other indexes of keys.
    block: words.block && { ...words.block, keyIndex: undefined },
  });
  return withUntils(report, nowUs);
}

/** Later calls tell by the primary's time what they correct, so a report says for every limit when its units leave. */
function withUntils(report: Report, nowUs: number): Report {
  for (let i = 0; i < report.resetUs.length; i += 1) report.untilUs[i] ||= nowUs + report.resetUs[i]!;
  return report;
}
