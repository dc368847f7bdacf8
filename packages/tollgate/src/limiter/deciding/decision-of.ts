import type { ReportedBlock } from "../../core/blocks.ts";
import type { Decision, Denied } from "../../core/decision.ts";
import { toMilliseconds } from "../../core/duration.ts";
import type { Limit } from "../../core/limits/limit.ts";
import type { Report } from "../../core/report.ts";
import type { Route } from "../choosing/route.ts";
import type { PlainTaker, Receipt } from "../reserving/receipt.ts";
import { Decided } from "./decided.ts";

// A report has one entry for each limit of a call, in the order of the route's limits.

const NO_LIMITS: readonly Limit[] = Object.freeze([]);
/** No entry. */
const NONE = -1;

/**
 * The retry hint of a denial whose report shows no wait: other threads or processes may change a key between the denial
 * and the report. A hint of 0 would make clients come back at once.
 */
const RETRY_US = 1_000_000;

/**
 * Turns a store's report into a decision. `name` is the limiter's, for decisions without a binding limit.
 */
export function decisionOf(name: string, route: Route, report: Report, receipt: Receipt | undefined): Decision {
  const limits = limitsOf(route, report);
  const decision = report.admitted
    ? allowed(name, route, limits, report, receipt)
    : denied(name, route, limits, report, receipt);
  const shadowDenied = nonconforming("shadow", limits, report);
  if (shadowDenied !== undefined) decision.shadowDenied = shadowDenied;
  if (report.degraded !== undefined) decision.degraded = report.degraded;
  if (report.overflow === "shared") decision.overflowed = true;
  if (report.block !== undefined) describeBlock(decision, report.block, limits, report);
  return decision as Decision;
}

/** All limits that a call was counted against: none if nothing decided in place of an unavailable store. */
export function limitsOf({ limits }: Route, report: Report): readonly Limit[] {
  if (report.degraded !== undefined && !report.hasEntries) return NO_LIMITS;
  if (report.keptLimits.length === 0) return limits;
  return limits.map((limit, entry) => report.keptLimits[entry] ?? limit);
}

/** The decision about a call that a limits function denied with `"deny"`. */
export function denyByLimits(limiter: string): Decision {
  return deniedWithoutLimit("denied", limiter, NO_LIMITS, Number.POSITIVE_INFINITY) as Decision;
}

/** Whole units left under an entry's limit, never below 0. */
export function remainingOf(limit: Limit, entry: number, report: Report): number {
  return Math.max(0, limit.capacity - report.used[entry]!);
}

/** The index of the key that binds a denial: that of the block, or that of the limit with the longest wait. */
export function bindingKeyOf(route: Route, report: Report): number {
  const { block } = report;
  if (block?.denied === true) return block.keyIndex ?? route.owners.findIndex(({ name }) => name === block.limiter);
  const entry = longestWaitOf(limitsOf(route, report), report);
  return entry === NONE ? 0 : route.keyIndexOf(entry);
}

/** The decision about a call that no enforcing limit concerns. */
function unlimited(
  name: string,
  limits: readonly Limit[],
  report: Report,
  took: PlainTaker | Receipt | undefined,
): Decided {
  // A policy that admits without the store does not know what is left.
  const remaining = report.degraded === undefined || report.hasEntries ? Number.POSITIVE_INFINITY : undefined;
  return new Decided(true, name, undefined, limits, remaining, remaining, undefined, 0, 0, took);
}

/**
 * The decision about a call that was admitted. The binding limit is the enforcing one with the smallest fraction left,
 * the first of equals. The same call passes when every enforcing limit lets it pass, after the longest wait. `key` and
 * what follows it belong to a plain take.
 */
export function allowed(
  name: string,
  route: Route,
  limits: readonly Limit[],
  report: Report,
  took: PlainTaker | Receipt | undefined,
  key?: string,
  cost?: number,
  untilUs?: number | readonly number[],
): Decided {
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
  if (binding === NONE) return unlimited(name, limits, report, took);
  const limit = limits[binding]!;
  return new Decided(
    true,
    limiterOf(route, binding),
    limit,
    limits,
    // Comparing units takes long. Usually the binding limit has the fewest units left of all.
    least === limitRemaining ? least : leastRemaining(limit.unit, limits, report),
    limitRemaining,
    report.used[binding],
    toMilliseconds(waitUs),
    toMilliseconds(report.resetUs[binding]!),
    took,
    key,
    cost,
    untilUs,
    report.resets,
  );
}

/** When a plain take leaves. A list of one takes 10 % of a whole `consume`. */
export function untilOf({ resetUs }: Report, limits: number, nowUs: number): number | readonly number[] {
  if (limits === 1) return nowUs + resetUs[0]!;
  const untilUs = new Array<number>(limits);
  for (let i = 0; i < limits; i += 1) untilUs[i] = nowUs + resetUs[i]!;
  return untilUs;
}

function denied(
  name: string,
  route: Route,
  limits: readonly Limit[],
  report: Report,
  receipt: Receipt | undefined,
): Decided {
  const { block, line } = report;
  const isBlocked = block?.denied === true;
  const binding = longestWaitOf(limits, report, isBlocked ? bindingOwners(route, report) : undefined);
  if (binding === NONE)
    return deniedWithoutLimit(line ?? "store-unavailable", name, limits, report.unavailableForUs, receipt);
  const waitUs = report.waitUs[binding]!;
  const limit = limits[binding]!;
  const decision = new Decided(
    false,
    limiterOf(route, binding),
    limit,
    limits,
    leastRemaining(limit.unit, limits, report),
    remainingOf(limit, binding, report),
    report.used[binding],
    toMilliseconds(waitUs === 0 ? RETRY_US : waitUs),
    toMilliseconds(report.resetUs[binding]!),
    receipt,
  );
  decision.reason = reasonOf(binding, report);
  decision.violated = nonconforming("enforce", limits, report) ?? (isBlocked || line !== undefined ? [] : [limit]);
  decision.usedAfterRetry = report.usedAfterWait[binding]!;
  return decision;
}

function deniedWithoutLimit(
  reason: Denied["reason"],
  limiter: string,
  limits: readonly Limit[],
  waitUs: number,
  receipt?: Receipt,
): Decided {
  const retryAfterMs = toMilliseconds(waitUs);
  const nothing = undefined;
  const decision = new Decided(false, limiter, nothing, limits, nothing, nothing, nothing, retryAfterMs, 0, receipt);
  decision.reason = reason;
  decision.violated = NO_LIMITS;
  decision.usedAfterRetry = 0;
  return decision;
}

/** The same call passes when the block is over and every enforcing limit lets it pass. Until then nothing is left. */
function describeBlock(
  decision: Decided,
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
  decision.remaining = 0;
  decision.limitRemaining = 0;
}

function reasonOf(entry: number, report: Report): Denied["reason"] {
  if (report.waitUs[entry] === Number.POSITIVE_INFINITY) return "cost-over-capacity";
  return report.line ?? (report.lacksCapacity[entry] === true ? "store-full" : "exhausted");
}

/** Says of which entries the blocked key is. */
function bindingOwners(route: Route, report: Report): (entry: number) => boolean {
  const key = bindingKeyOf(route, report);
  return (entry) => route.keyIndexOf(entry) === key;
}

/** The entry of the enforcing limit with the longest wait, the first of equals, among those that are `asked`. */
function longestWaitOf(limits: readonly Limit[], report: Report, asked?: (entry: number) => boolean): number {
  let binding = NONE;
  for (let entry = 0; entry < limits.length; entry += 1) {
    if (limits[entry]!.mode !== "enforce" || asked?.(entry) === false) continue;
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

/** The name of the limiter to which an entry belongs. */
function limiterOf(route: Route, entry: number): string {
  return (route.only?.plan ?? route.plans[route.spaceIndexOf(entry)]!).limiter;
}
