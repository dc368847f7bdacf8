import type { ReportedBlock } from "../core/blocks.ts";
import type { Allowed, Decision, Denied } from "../core/decision.ts";
import { toMilliseconds } from "../core/duration.ts";
import type { Limit } from "../core/limits/limit.ts";
import type { Plan } from "../core/plan.ts";
import { Report } from "../core/report.ts";
import { VERBS, type Verb } from "../core/verbs.ts";
import type { CheckedRequest } from "./call.ts";
import { limiterOf, NONE, remainingOf } from "./entries.ts";
import type { PlannedSpace } from "./space-list.ts";

/**
 * The retry hint of a denial whose report shows no wait: other threads or processes may change a key between the denial
 * and the report. A hint of 0 would make clients come back at once.
 */
const RETRY_US = 1_000_000;

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/**
 * Turns a store's report into a decision. `name` is the limiter's, for decisions without a binding limit. `limits` are
 * those of `limitsOf`.
 */
export function decide(name: string, plans: readonly Plan[], limits: readonly Limit[], report: Report): Decision {
  if (limits.length === 1 && report.admitted && isUsual(report) && limits[0]!.mode === "enforce") {
    return allowedByOnly(plans[0]!.limiter, limits, limits[0]!, report);
  }
  const decision = report.admitted ? allowed(name, plans, limits, report) : denied(name, plans, limits, report);
  const shadowDenied = nonconforming("shadow", limits, report);
  if (shadowDenied !== undefined) decision.shadowDenied = shadowDenied;
  if (report.degraded !== undefined) decision.degraded = report.degraded;
  if (report.overflow === "shared") decision.overflowed = true;
  if (report.block !== undefined) describeBlock(decision, report.block, limits, report);
  return decision;
}

/** Whether the store decided, by the key's own cells. */
function isUsual({ degraded, overflow, block }: Report): boolean {
  return degraded === undefined && overflow === undefined && block === undefined;
}

/** The same call passes when the block is over and every enforcing limit lets it pass. */
function describeBlock(
  decision: Writable<Allowed> | Writable<Denied>,
  { forUs, reason, denied: isDenial, limiter }: ReportedBlock,
  limits: readonly Limit[],
  report: Report,
): void {
  const longest = longestWaitOf(limits, report);
  const waitUs = Math.max(forUs, longest === NONE ? 0 : report.waitUs[longest]!);
  decision.retryAfterMs = toMilliseconds(waitUs);
  decision.block =
    reason === undefined ? { endsInMs: toMilliseconds(forUs) } : { endsInMs: toMilliseconds(forUs), reason };
  if (!isDenial || decision.allowed) return;
  decision.reason = "blocked";
  decision.limiter = limiter;
}

/** The usual decision: the store has admitted the call under one limit, which enforces, by the key's own cells. */
export function allowedByOnly(limiter: string, limits: readonly Limit[], limit: Limit, report: Report): Allowed {
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

/**
 * The binding limit is the enforcing one with the smallest fraction left, the first of equals. The same call passes
 * when every enforcing limit lets it pass, after the longest wait.
 */
function allowed(name: string, plans: readonly Plan[], limits: readonly Limit[], report: Report): Writable<Allowed> {
  let binding = NONE;
  let leastFraction = Number.POSITIVE_INFINITY;
  let limitRemaining = 0;
  let least = Number.POSITIVE_INFINITY;
  let waitUs = 0;
  for (let entry = 0; entry < limits.length; entry += 1) {
    const limit = limits[entry]!;
    if (limit.mode !== "enforce") continue;
    if (report.waitUs[entry]! > waitUs) waitUs = report.waitUs[entry]!;
    const remaining = remainingOf(limit, entry, report);
    if (remaining < least) least = remaining;
    const fraction = remaining / limit.capacity;
    if (fraction >= leastFraction) continue;
    binding = entry;
    leastFraction = fraction;
    limitRemaining = remaining;
  }
  if (binding === NONE) return allowedWithoutLimit(name, limits, report);
  const limit = limits[binding]!;
  return {
    allowed: true,
    limiter: limiterOf(plans, binding),
    limit,
    limits,
    // Comparing units takes long. Usually the binding limit has the fewest units left of all.
    remaining: least === limitRemaining ? least : leastRemaining(limit.unit, limits, report),
    limitRemaining,
    retryAfterMs: toMilliseconds(waitUs),
    resetMs: toMilliseconds(report.resetUs[binding]!),
  };
}

function allowedWithoutLimit(limiter: string, limits: readonly Limit[], report: Report): Writable<Allowed> {
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

function denied(name: string, plans: readonly Plan[], limits: readonly Limit[], report: Report): Writable<Denied> {
  const { block } = report;
  const binding = longestWaitOf(limits, report, plans, block?.denied === true ? block.limiter : undefined);
  if (binding === NONE) {
    return deniedWithoutLimit(report.line ?? "store-unavailable", name, limits, report.unavailableForUs);
  }
  const waitUs = report.waitUs[binding]!;
  const limit = limits[binding]!;
  return {
    allowed: false,
    reason: reasonOf(binding, report),
    limiter: limiterOf(plans, binding),
    limit,
    limits,
    violated:
      nonconforming("enforce", limits, report) ?? (block?.denied === true || report.line !== undefined ? [] : [limit]),
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
  return report.line ?? (report.lacksCapacity[entry] === true ? "store-full" : "exhausted");
}

/**
 * The entry of the enforcing limit with the longest wait, the first of equals: it binds a denial. If a limiter is
 * given, only its limits are asked.
 */
function longestWaitOf(
  limits: readonly Limit[],
  report: Report,
  plans: readonly Plan[] = [],
  limiter?: string,
): number {
  let binding = NONE;
  for (let entry = 0; entry < limits.length; entry += 1) {
    if (limits[entry]!.mode !== "enforce") continue;
    if (limiter !== undefined && limiterOf(plans, entry) !== limiter) continue;
    if (binding === NONE || report.waitUs[entry]! > report.waitUs[binding]!) binding = entry;
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

/** The report on a verb that a limits function denied before the store was asked. `explain` and `refund` go on. */
export function deniedReport(verb: Verb, { deniedBy }: CheckedRequest<PlannedSpace>): Report | undefined {
  if (deniedBy === undefined || VERBS[verb].takes === "never") return undefined;
  const report = new Report();
  report.admitted = false;
  return report;
}
