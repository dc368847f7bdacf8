import type { Allowed, Decision, Denied, LimitStatus } from "../core/decision.ts";
import { toMilliseconds } from "../core/duration.ts";
import type { Limit } from "../core/limits/limit.ts";
import type { Plan } from "../core/plan.ts";
import type { Report } from "../core/report.ts";
import type { Calls } from "./call.ts";
import type { PlannedSpace } from "./selection.ts";

// An entry of a report belongs to the limit that stands at the same index in the list of all limits of a call.

const NONE = -1;
/**
 * Other threads or processes may change what denied a call before the store describes it: then no limit has to be
 * waited for. A hint of 0 would have clients come back at once, and a store has had no room a moment ago.
 */
const RETRY_US = 1_000_000;

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Turns a store's numbers into what users get. `name` is the limiter's, for when no limit binds. */
export function decide(name: string, plans: readonly Plan[], report: Report): Decision {
  const limits = limitsOf(plans, report);
  const binding = bindingOf(limits, report);
  const limiter = binding === NONE ? name : limiterOf(plans, binding);
  const decision = report.admitted
    ? allowed(limiter, limits, binding, report)
    : denied(limiter, limits, binding, report);
  const shadowDenied = nonconforming("shadow", limits, report);
  if (shadowDenied !== undefined) decision.shadowDenied = shadowDenied;
  if (report.degraded !== undefined) decision.degraded = report.degraded;
  if (report.overflow === "shared") decision.overflowed = true;
  return decision;
}

function allowed(limiter: string, limits: readonly Limit[], binding: number, report: Report): Writable<Allowed> {
  if (binding === NONE) {
    return {
      allowed: true,
      limiter,
      limit: undefined,
      limits,
      remaining: Number.POSITIVE_INFINITY,
      limitRemaining: Number.POSITIVE_INFINITY,
      resetMs: 0,
      nextMs: 0,
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
    resetMs: toMilliseconds(report.resetUs[binding]!),
    nextMs: toMilliseconds(report.waitUs[binding]!),
  };
}

function denied(limiter: string, limits: readonly Limit[], binding: number, report: Report): Writable<Denied> {
  if (binding === NONE) {
    return {
      allowed: false,
      reason: "store-unavailable",
      limiter,
      limit: undefined,
      limits,
      violated: [],
      remaining: 0,
      limitRemaining: 0,
      resetMs: 0,
      retryAfterMs: toMilliseconds(report.unavailableForUs),
      usedAfterRetry: 0,
    };
  }
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
    resetMs: toMilliseconds(report.resetUs[binding]!),
    retryAfterMs: toMilliseconds(waitUs === 0 ? RETRY_US : waitUs),
    usedAfterRetry: report.usedAfterWait[binding]!,
  };
}

function reasonOf(entry: number, report: Report): Denied["reason"] {
  if (report.waitUs[entry] === Number.POSITIVE_INFINITY) return "cost-over-capacity";
  return report.lacksRoom[entry] === true ? "store-full" : "exhausted";
}

/** The plans of a call, in its order. */
export function plansOf(calls: Calls<PlannedSpace>): Plan[] {
  return calls.map(({ space }) => space.plan);
}

/** How each limit stands, from the report of an `explain`. */
export function explainLimits(calls: Calls<PlannedSpace>, report: Report): LimitStatus[] {
  const keys = calls.flatMap(({ space, key }) => space.plan.limits.map(() => key));
  const plans = plansOf(calls);
  return limitsOf(plans, report).map((limit, entry) => ({
    name: limit.name,
    limiter: limiterOf(plans, entry),
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

/**
 * All that the call was counted against: none when the store could not be asked and nothing answered in its place. Of one
 * plan its own list, so that whoever makes texts of it can keep them.
 */
function limitsOf(plans: readonly Plan[], report: Report): readonly Limit[] {
  if (report.degraded !== undefined && !report.hasEntries) return [];
  const [only] = plans;
  return only !== undefined && plans.length === 1 ? only.limits : plans.flatMap(({ limits }) => limits);
}

/** The limiter to which an entry belongs. */
function limiterOf(plans: readonly Plan[], entry: number): string {
  let last = NONE;
  for (const { limits, limiter } of plans) {
    last += limits.length;
    if (entry <= last) return limiter;
  }
  throw new RangeError(`entry: expected at most ${last}, got ${entry}`);
}

/** Allowed: the enforcing limit with the smallest share left. Denied: the one with the longest wait. The first of equals. */
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

function leastRemaining(unit: string, limits: readonly Limit[], report: Report): number {
  let least = Number.POSITIVE_INFINITY;
  for (let entry = 0; entry < limits.length; entry += 1) {
    const limit = limits[entry]!;
    if (limit.mode === "enforce" && limit.unit === unit) least = Math.min(least, remainingOf(limit, entry, report));
  }
  return least;
}

/** `undefined` where there are none, as nearly always: nothing is made. */
function nonconforming(mode: Limit["mode"], limits: readonly Limit[], report: Report): Limit[] | undefined {
  let found: Limit[] | undefined;
  for (let entry = 0; entry < limits.length; entry += 1) {
    if (report.conforms[entry] !== false || limits[entry]!.mode !== mode) continue;
    if (found === undefined) found = [limits[entry]!];
    else found.push(limits[entry]!);
  }
  return found;
}

function remainingOf(limit: Limit, entry: number, report: Report): number {
  return Math.max(0, limit.capacity - report.used[entry]!);
}
