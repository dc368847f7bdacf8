import type { Allowed, Decision, Denied, LimitReport } from "../core/decision.ts";
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

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Turns a store's numbers into what users get. `name` is the limiter's, for when no limit binds. */
export function decide(name: string, calls: Calls<PlannedSpace>, report: Report): Decision {
  const counted = countedIn(calls, report);
  const binding = bindingOf(counted, report);
  const decision = report.admitted ? allowed(name, counted, binding, report) : denied(name, counted, binding, report);
  const shadowDenied = shadowDenials(counted, report);
  if (shadowDenied !== undefined) decision.shadowDenied = shadowDenied;
  if (report.degraded !== undefined) decision.degraded = report.degraded;
  if (report.overflow === "shared") decision.shared = true;
  return decision;
}

function allowed(
  name: string,
  counted: readonly Counted[],
  binding: Counted | undefined,
  report: Report,
): Writable<Allowed> {
  if (binding === undefined) {
    return { allowed: true, limiter: name, limit: undefined, remaining: Number.POSITIVE_INFINITY, resetMs: 0 };
  }
  return {
    allowed: true,
    limiter: binding.plan.limiter,
    limit: binding.limit,
    remaining: leastRemaining(binding.limit.unit, counted, report),
    resetMs: toMilliseconds(report.resetUs[binding.entry]!),
  };
}

function denied(
  name: string,
  counted: readonly Counted[],
  binding: Counted | undefined,
  report: Report,
): Writable<Denied> {
  if (binding === undefined) {
    return {
      allowed: false,
      reason: "store-unavailable",
      limiter: name,
      limit: undefined,
      remaining: 0,
      resetMs: 0,
      retryAfterMs: toMilliseconds(report.unavailableForUs),
      usedAfterRetry: 0,
    };
  }
  const waitUs = report.waitUs[binding.entry]!;
  return {
    allowed: false,
    reason: reasonOf(binding.entry, report),
    limiter: binding.plan.limiter,
    limit: binding.limit,
    remaining: leastRemaining(binding.limit.unit, counted, report),
    resetMs: toMilliseconds(report.resetUs[binding.entry]!),
    retryAfterMs: toMilliseconds(waitUs),
    usedAfterRetry: report.usedAfterWait[binding.entry]!,
  };
}

function reasonOf(entry: number, report: Report): Denied["reason"] {
  if (report.waitUs[entry] === Number.POSITIVE_INFINITY) return "cost-over-capacity";
  return report.lacksRoom[entry] === true ? "store-full" : "exhausted";
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
  const counted: Counted[] = [];
  if (report.degraded !== undefined && report.used.length === 0) return counted;
  for (const { space } of calls) {
    for (const limit of space.plan.limits) counted.push({ limit, plan: space.plan, entry: counted.length });
  }
  return counted;
}

/** Allowed: the enforcing limit with the smallest share left. Denied: the one with the longest wait. The first of equals. */
function bindingOf(counted: readonly Counted[], report: Report): Counted | undefined {
  let binding: Counted | undefined;
  let leastYet = Number.POSITIVE_INFINITY;
  for (const one of counted) {
    if (one.limit.mode !== "enforce") continue;
    const measure = report.admitted
      ? remainingOf(one.limit, one.entry, report) / one.limit.capacity
      : -report.waitUs[one.entry]!;
    if (binding !== undefined && measure >= leastYet) continue;
    binding = one;
    leastYet = measure;
  }
  return binding;
}

function leastRemaining(unit: string, counted: readonly Counted[], report: Report): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { limit, entry } of counted) {
    if (limit.mode === "enforce" && limit.unit === unit) least = Math.min(least, remainingOf(limit, entry, report));
  }
  return least;
}

function shadowDenials(counted: readonly Counted[], report: Report): Limit[] | undefined {
  let denials: Limit[] | undefined;
  for (const { limit, entry } of counted) {
    if (limit.mode !== "shadow" || report.conforms[entry] !== false) continue;
    denials ??= [];
    denials.push(limit);
  }
  return denials;
}

function remainingOf(limit: Limit, entry: number, report: Report): number {
  return Math.max(0, limit.capacity - report.used[entry]!);
}
