import type { LimitStatus } from "../core/decision.ts";
import { toMilliseconds } from "../core/duration.ts";
import type { Report } from "../core/report.ts";
import type { Call } from "../core/store.ts";
import { limitsOf, plansOf, remainingOf } from "./entries.ts";
import type { PlannedSpace } from "./space-list.ts";

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
  }));
}
