import type { Allowed, Decision, Denied } from "../core/decision.ts";
import { toMilliseconds } from "../core/duration.ts";
import type { Limit } from "../core/limits/limit.ts";
import type { Plan } from "../core/plan.ts";
import type { Report } from "../core/report.ts";
import { limiterOf, limitsOf, NONE, remainingOf } from "./entries.ts";

/**
 * The retry hint of a denial whose report shows no wait: other threads or processes may change a key between the denial
 * and the report. A hint of 0 would make clients come back at once.
 */
const RETRY_US = 1_000_000;

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Turns a store's report into a decision. `name` is the limiter's, for decisions without a binding limit. */
export function decide(name: string, plans: readonly Plan[], report: Report): Decision {
  const [only] = plans;
  if (only !== undefined && plans.length === 1) return decideAlone(name, only, report);
  const limits = limitsOf(plans, report);
  const binding = bindingOf(limits, report);
  return decideBy(binding === NONE ? name : limiterOf(plans, binding), limits, binding, report);
}

/** Works like `decide`, for one plan. */
export function decideAlone(name: string, plan: Plan, report: Report): Decision {
  const limits = report.degraded === undefined ? plan.limits : limitsOf([plan], report);
  if (limits.length === 1 && report.admitted && isUsual(report) && limits[0]!.mode === "enforce") {
    return allowedByOnly(plan.limiter, limits, limits[0]!, report);
  }
  const binding = bindingOf(limits, report);
  return decideBy(binding === NONE ? name : plan.limiter, limits, binding, report);
}

function decideBy(limiter: string, limits: readonly Limit[], binding: number, report: Report): Decision {
  const decision = report.admitted
    ? allowed(limiter, limits, binding, report)
    : denied(limiter, limits, binding, report);
  const shadowDenied = nonconforming("shadow", limits, report);
  if (shadowDenied !== undefined) decision.shadowDenied = shadowDenied;
  if (report.degraded !== undefined) decision.degraded = report.degraded;
  if (report.overflow === "shared") decision.overflowed = true;
  return decision;
}

/** Whether the store decided, by the key's own cells. */
function isUsual({ degraded, overflow }: Report): boolean {
  return degraded === undefined && overflow === undefined;
}

/** The usual decision: one limit, which enforces, has admitted the call. */
function allowedByOnly(limiter: string, limits: readonly Limit[], limit: Limit, report: Report): Allowed {
  const remaining = Math.max(0, limit.capacity - report.used[0]!);
  return {
    allowed: true,
    limiter,
    limit,
    limits,
    remaining,
    limitRemaining: remaining,
    retryAfterMs: toMilliseconds(report.waitUs[0]!),
    resetMs: toMilliseconds(report.resetUs[0]!),
  };
}

function allowed(limiter: string, limits: readonly Limit[], binding: number, report: Report): Writable<Allowed> {
  if (binding === NONE) {
    // A policy that admits without the store does not know what is left.
    const remaining = report.degraded === undefined || report.hasEntries ? Number.POSITIVE_INFINITY : undefined;
    return {
      allowed: true,
      limiter,
      limit: undefined,
      limits,
      remaining,
      limitRemaining: remaining,
      retryAfterMs: 0,
      resetMs: 0,
    };
  }
  const limit = limits[binding]!;
  return {
    allowed: true,
    limiter,
    limit,
    limits,
    remaining: leastRemaining(limit.unit, limits, report),
    limitRemaining: remainingOf(limit, binding, report),
    retryAfterMs: toMilliseconds(longestWaitUs(limits, report)),
    resetMs: toMilliseconds(report.resetUs[binding]!),
  };
}

function denied(limiter: string, limits: readonly Limit[], binding: number, report: Report): Writable<Denied> {
  if (binding === NONE) return deniedWithoutLimit("store-unavailable", limiter, limits, report.unavailableForUs);
  const waitUs = report.waitUs[binding]!;
  const limit = limits[binding]!;
  return {
    allowed: false,
    reason: reasonOf(binding, report),
    limiter,
    limit,
    limits,
    violated: nonconforming("enforce", limits, report) ?? [limit],
    remaining: leastRemaining(limit.unit, limits, report),
    limitRemaining: remainingOf(limit, binding, report),
    retryAfterMs: toMilliseconds(waitUs === 0 ? RETRY_US : waitUs),
    resetMs: toMilliseconds(report.resetUs[binding]!),
    usedAfterRetry: report.usedAfterWait[binding]!,
  };
}

/** The decision about a call whose limits function returned `"deny"`. */
export function denyByLimits(limiter: string): Denied {
  return deniedWithoutLimit("denied", limiter, [], Number.POSITIVE_INFINITY);
}

function deniedWithoutLimit(
  reason: Denied["reason"],
  limiter: string,
  limits: readonly Limit[],
  waitUs: number,
): Writable<Denied> {
  return {
    allowed: false,
    reason,
    limiter,
    limit: undefined,
    limits,
    violated: [],
    remaining: undefined,
    limitRemaining: undefined,
    retryAfterMs: toMilliseconds(waitUs),
    resetMs: 0,
    usedAfterRetry: 0,
  };
}

function reasonOf(entry: number, report: Report): Denied["reason"] {
  if (report.waitUs[entry] === Number.POSITIVE_INFINITY) return "cost-over-capacity";
  return report.lacksCapacity[entry] === true ? "store-full" : "exhausted";
}

/**
 * The entry of the binding limit: if allowed, the enforcing limit with the smallest fraction left; if denied, the one
 * with the longest wait. The first of equals.
 */
function bindingOf(limits: readonly Limit[], report: Report): number {
  let binding = NONE;
  let leastYet = Number.POSITIVE_INFINITY;
  for (let entry = 0; entry < limits.length; entry += 1) {
    const limit = limits[entry]!;
    if (limit.mode !== "enforce") continue;
    const measure = report.admitted ? remainingOf(limit, entry, report) / limit.capacity : -report.waitUs[entry]!;
    if (binding !== NONE && measure >= leastYet) continue;
    binding = entry;
    leastYet = measure;
  }
  return binding;
}

/** The same call passes when every enforcing limit lets it pass, not the binding one alone. */
function longestWaitUs(limits: readonly Limit[], report: Report): number {
  let longest = 0;
  for (let entry = 0; entry < limits.length; entry += 1) {
    if (limits[entry]!.mode === "enforce") longest = Math.max(longest, report.waitUs[entry]!);
  }
  return longest;
}

function leastRemaining(unit: string, limits: readonly Limit[], report: Report): number {
  let least = Number.POSITIVE_INFINITY;
  for (let entry = 0; entry < limits.length; entry += 1) {
    const limit = limits[entry]!;
    if (limit.mode === "enforce" && limit.unit === unit) least = Math.min(least, remainingOf(limit, entry, report));
  }
  return least;
}

/** `undefined` if every such limit conforms. That is the usual case, and makes no list. */
function nonconforming(mode: Limit["mode"], limits: readonly Limit[], report: Report): Limit[] | undefined {
  let found: Limit[] | undefined;
  for (let entry = 0; entry < limits.length; entry += 1) {
    if (report.conforms[entry] !== false || limits[entry]!.mode !== mode) continue;
    if (found === undefined) found = [limits[entry]!];
    else found.push(limits[entry]!);
  }
  return found;
}
