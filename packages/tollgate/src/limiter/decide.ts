import type { Decision, Denied, LimitReport } from "../core/decision.ts";
import { toMilliseconds } from "../core/duration.ts";
import type { Limit } from "../core/limits/limit.ts";
import type { Plan } from "../core/plan.ts";
import type { Report } from "../core/report.ts";
import type { Calls } from "./call.ts";
import type { PlannedSpace } from "./selection.ts";

/** A limit that a call was counted against, and its entry in the report. */
interface Counted {
  readonly limit: Limit;
  readonly plan: Plan;
  readonly entry: number;
}

/** Turns a store's numbers into what users get. `name` is the limiter's, for when no limit binds. */
export function decide(name: string, calls: Calls<PlannedSpace>, report: Report): Decision {
  const counted = countedIn(calls, report);
  const enforcing = counted.filter(({ limit }) => limit.mode === "enforce");
  const shadowDenied = counted
    .filter(({ limit, entry }) => limit.mode === "shadow" && report.conforms[entry] === false)
    .map(({ limit }) => limit);
  const binding = report.admitted ? smallestShare(enforcing, report) : longestWait(enforcing, report);
  const common = {
    limiter: binding?.plan.limiter ?? name,
    limit: binding?.limit,
    remaining: binding === undefined ? withoutLimit(report) : leastRemaining(binding, enforcing, report),
    resetMs: binding === undefined ? 0 : toMilliseconds(report.resetUs[binding.entry]!),
    ...(shadowDenied.length > 0 && { shadowDenied }),
    ...(report.degraded !== undefined && { degraded: report.degraded }),
    ...(report.overflow === "shared" && { shared: true as const }),
  };
  if (report.admitted) return { allowed: true, ...common };
  if (binding === undefined) {
    const retryAfterMs = toMilliseconds(report.unavailableForUs);
    return { allowed: false, reason: "store-unavailable", ...common, retryAfterMs, usedAfterRetry: 0 };
  }
  const waitUs = report.waitUs[binding.entry]!;
  return {
    allowed: false,
    reason: reasonOf(waitUs, report),
    ...common,
    retryAfterMs: toMilliseconds(waitUs),
    usedAfterRetry: report.usedAfterWait[binding.entry]!,
  };
}

function reasonOf(waitUs: number, report: Report): Denied["reason"] {
  if (waitUs === Number.POSITIVE_INFINITY) return "cost-over-capacity";
  return report.overflow === "denied" ? "store-full" : "exhausted";
}

/** How each limit stands, from the report of an `explain`. */
export function explainLimits(calls: Calls<PlannedSpace>, report: Report): LimitReport[] {
  const keys = calls.flatMap(({ space, key }) => space.plan.limits.map(() => key));
  return countedIn(calls, report).map(({ limit, plan, entry }) => ({
    name: limit.name,
    limiter: plan.limiter,
    key: keys[entry]!,
    unit: limit.unit,
    limit: limit.capacity,
    used: report.used[entry]!,
    remaining: remainingOf(limit, entry, report),
    retryAfterMs: toMilliseconds(report.waitUs[entry]!),
    resetMs: toMilliseconds(report.resetUs[entry]!),
    allowed: report.conforms[entry]!,
    mode: limit.mode,
  }));
}

/** None when the store could not be asked and nothing answered in its place. */
function countedIn(calls: Calls<PlannedSpace>, report: Report): Counted[] {
  if (report.degraded !== undefined && report.used.length === 0) return [];
  let entry = 0;
  return calls.flatMap(({ space: { plan } }) => plan.limits.map((limit) => ({ limit, plan, entry: entry++ })));
}

function smallestShare(enforcing: readonly Counted[], report: Report): Counted | undefined {
  return least(enforcing, ({ limit, entry }) => remainingOf(limit, entry, report) / limit.capacity);
}

function longestWait(enforcing: readonly Counted[], report: Report): Counted | undefined {
  return least(enforcing, ({ entry }) => -report.waitUs[entry]!);
}

function leastRemaining(binding: Counted, enforcing: readonly Counted[], report: Report): number {
  const sameUnit = enforcing.filter(({ limit }) => limit.unit === binding.limit.unit);
  return Math.min(...sameUnit.map(({ limit, entry }) => remainingOf(limit, entry, report)));
}

function remainingOf(limit: Limit, entry: number, report: Report): number {
  return Math.max(0, limit.capacity - report.used[entry]!);
}

function withoutLimit(report: Report): number {
  return report.admitted ? Number.POSITIVE_INFINITY : 0;
}

/** The first of those with the least measure. */
function least(counted: readonly Counted[], measure: (one: Counted) => number): Counted | undefined {
  let found: Counted | undefined;
  let leastYet = Number.POSITIVE_INFINITY;
  for (const one of counted) {
    const measured = measure(one);
    if (found === undefined || measured < leastYet) {
      found = one;
      leastYet = measured;
    }
  }
  return found;
}
