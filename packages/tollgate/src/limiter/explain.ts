import type { LimitStatus } from "../core/decision.ts";
import { toMilliseconds } from "../core/duration.ts";
import type { Report } from "../core/report.ts";
import type { Call } from "../core/store.ts";
import { limiterOf, limitsOf, plansOf, remainingOf } from "./entries.ts";
import type { PlannedSpace } from "./selection.ts";

/** The status of each limit, from the report of an `explain`. */
export function explainLimits(calls: readonly Call<PlannedSpace>[], report: Report): LimitStatus[] {
  const keys = calls.flatMap(({ space, key }) => space.plan.limits.map(() => key));
  const plans = plansOf(calls);
  return limitsOf(plans, report).map((limit, entry) => ({
    name: limit.name,
    limiter: limiterOf(plans, entry),
    key: keys[entry]!,
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
