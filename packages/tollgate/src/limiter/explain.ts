import type { LimitStatus } from "../core/decision.ts";
import { toMilliseconds } from "../core/duration.ts";
import { isSameLimit } from "../core/plan.ts";
import type { Report } from "../core/report.ts";
import type { Call } from "../core/store.ts";
import { limitsOf, plansOf, remainingOf } from "./entries.ts";
import type { PlannedSpace } from "./space-list.ts";

/**
 * The statuses that count, for a key whose limits are not known. A count that moves between numbers is in one place: it
 * is listed as it is there, or else once.
 */
export function countingStatuses(
  statuses: readonly LimitStatus[],
  calls: readonly Call<PlannedSpace>[],
  report: Report,
): LimitStatus[] {
  const { isView } = report;
  const limits = limitsOf(plansOf(calls), report);
  const counting = [...statuses.keys()].filter((entry) => statuses[entry]!.used > 0);
  const isListed = (entry: number): boolean =>
    isView[entry] !== true ||
    counting.every((other) => {
      const isSame = other !== entry && isSameLimit(limits[other]!, limits[entry]!);
      return !isSame || (isView[other] === true && other > entry);
    });
  return counting.filter(isListed).map((entry) => statuses[entry]!);
}

/** The status of each limit, from the report of an `explain`. */
export function explainLimits(calls: readonly Call<PlannedSpace>[], report: Report): LimitStatus[] {
  const owners = calls.flatMap(({ space: { plan }, key }) => plan.limits.map(() => ({ limiter: plan.limiter, key })));
  return limitsOf(plansOf(calls), report).map((limit, entry) => ({
    name: limit.name,
    limiter: owners[entry]!.limiter,
    key: owners[entry]!.key,
    unit: limit.unit,
    capacity: limit.capacity,
    used: report.used[entry]!,
    remaining: remainingOf(limit, entry, report),
    retryAfterMs: toMilliseconds(report.waitUs[entry]!),
    resetMs: toMilliseconds(report.resetUs[entry]!),
    allowed: report.conforms[entry]!,
    mode: limit.mode,
    ...(report.leases?.[entry] && { lease: report.leases[entry] }),
  }));
}
