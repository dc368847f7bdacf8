import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Report } from "../../core/report.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { VERBS } from "../../core/verbs.ts";

/** How many buckets the keys without a slot share, under one list of limits. */
export const OVERFLOW_BUCKETS = 256;

/** An arbitrary retry hint for a full store. */
const RETRY_WHEN_FULL_US = 1_000_000;

/**
 * Reports on a key that cannot be counted: as a new key, whose cells it writes into `cells`. Enforcing limits deny what
 * costs something.
 *
 * @returns whether every enforcing limit conformed.
 */
export function denyForCapacity(
  compiled: CompiledPlan,
  cells: Float64Array,
  now: TimeCell,
  costs: readonly number[],
  report: Report,
  at: number,
): boolean {
  report.overflow = "denied";
  compiled.init(cells, 0, now);
  compiled.applyToKept(VERBS.explain, cells, 0, costs, now, report, at);
  let admitted = true;
  for (let i = 0; i < costs.length; i += 1) {
    report.conforms[at + i] = costs[i] === 0;
    if (costs[i] === 0) continue;
    report.lacksCapacity[at + i] = true;
    report.waitUs[at + i] = Math.max(report.waitUs[at + i]!, RETRY_WHEN_FULL_US);
    if (compiled.plan.enforces[i]!) admitted = false;
  }
  return admitted;
}
