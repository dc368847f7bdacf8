import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Report } from "../../core/report.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { VERBS, type VerbTraits } from "../../core/verbs.ts";
import type { PlanTable } from "./plan-table.ts";

/** An arbitrary retry hint for a full store. */
const RETRY_WHEN_FULL_US = 1_000_000;

/**
 * Where a key is counted for which there is no slot: the base of its overflow bucket's cells. `"a new bucket"` means
 * that the buckets are not made yet, and that the verb changes nothing: making them would start those that start empty.
 * `"denied"` means that the key cannot be counted.
 */
export function placeInOverflow(
  table: PlanTable,
  verb: VerbTraits,
  key: string,
  now: TimeCell,
  report: Report,
): number | "a new bucket" | "denied" {
  const { changes, refunds } = verb;
  const { capacity } = table;
  if (changes && !refunds) capacity.overflowCount += 1;
  const hasBuckets = changes ? table.reserveOverflow() : table.mayOverflow;
  if (capacity.overflow === "deny" || !hasBuckets) return "denied";
  report.overflow ??= "shared";
  if (changes) return table.useBucket(key, now);
  if (table.hasOverflow) return table.overflow(now).baseOf(capacity.bucketNumbers.of(key));
  return "a new bucket";
}

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
