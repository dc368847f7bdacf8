import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Report } from "../../core/report.ts";
import type { TimeCell } from "../../core/time-cell.ts";

/** When there will be room nobody knows: ask again soon. */
const RETRY_WHEN_FULL_US = 1_000_000;

/**
 * Reports on a key that there is no room for: as a new one would stand, which it writes into `cells`, but that it cannot be counted. Limits
 * that enforce deny what costs something.
 *
 * @returns whether every enforcing limit conformed.
 */
export function denyForRoom(
  compiled: CompiledPlan,
  cells: Float64Array,
  now: TimeCell,
  costs: readonly number[],
  report: Report,
  at: number,
): boolean {
  report.overflow = "denied";
  compiled.init(cells, 0, now);
  compiled.describe(cells, 0, now, costs, report, at);
  let admitted = true;
  for (let i = 0; i < costs.length; i += 1) {
    report.conforms[at + i] = costs[i] === 0;
    if (costs[i] === 0) continue;
    report.lacksRoom[at + i] = true;
    report.waitUs[at + i] = Math.max(report.waitUs[at + i]!, RETRY_WHEN_FULL_US);
    if (compiled.plan.enforces[i]!) admitted = false;
  }
  return admitted;
}
