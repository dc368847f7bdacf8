import type { LimitStatus } from "../../core/decision.ts";
import { toMilliseconds } from "../../core/duration.ts";
import { isSameLimit } from "../../core/plan.ts";
import type { Report } from "../../core/report.ts";
import { limitsOf, remainingOf } from "./decision-of.ts";
import type { Request } from "./request.ts";

/** The status of each limit, from the report of an `explain`. */
export function explainLimits({ route, calls }: Request, report: Report): LimitStatus[] {
  const owners = calls.flatMap(({ space: { plan }, key }) => plan.limits.map(() => ({ limiter: plan.limiter, key })));
  return limitsOf(route, report).map((limit, entry) => ({
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

/**
 * The statuses that count, for a key whose limits are not known. Counts of one name are in one place: they are listed
 * as they are there, or else once.
 */
export function explainCounting(request: Request, report: Report): LimitStatus[] {
  const counting = [...explainLimits(request, report).entries()].filter(([, { used }]) => used > 0);
  const limits = limitsOf(request.route, report);
  const isListed = ([entry]: [number, LimitStatus]): boolean =>
    report.isView[entry] !== true ||
    counting.every(([other]) => {
      const isSame = other !== entry && isSameLimit(limits[other]!, limits[entry]!);
      return !isSame || (report.isView[other] === true && other > entry);
    });
  return counting.filter(isListed).map(([, status]) => status);
}
