import type { Limit } from "../core/limits/limit.ts";
import type { Plan } from "../core/plan.ts";
import type { Report } from "../core/report.ts";
import type { Call } from "../core/store.ts";
import type { PlannedSpace } from "./space-list.ts";

// A report has one entry per limit of a call. An entry has the index of its limit in the list of all limits of the
// call.

const NO_LIMITS: readonly Limit[] = [];

/** No entry. */
export const NONE = -1;

/** The plans of a call, in its order. */
export function plansOf(calls: readonly Call<PlannedSpace>[]): Plan[] {
  return calls.map(({ space }) => space.plan);
}

/**
 * All limits that the call was counted against: none if the store was unavailable and nothing decided in its place. A
 * single plan's own list is returned, so that callers can cache by it.
 */
export function limitsOf(plans: readonly Plan[], report: Report): readonly Limit[] {
  if (report.degraded !== undefined && !report.hasEntries) return NO_LIMITS;
  const [only] = plans;
  if (only !== undefined && plans.length === 1 && report.keptLimits.length === 0) return only.limits;
  const all: Limit[] = [];
  for (const { limits } of plans) for (const limit of limits) all.push(report.keptLimits[all.length] ?? limit);
  return all;
}

/** Whether a call was counted against other limits than those of its plans. */
export function hasOtherLimits({ degraded, keptLimits }: Report): boolean {
  return degraded !== undefined || keptLimits.length > 0;
}

/** The name of the limiter to which an entry belongs. */
export function limiterOf(plans: readonly Plan[], entry: number): string {
  let last = NONE;
  for (const { limits, limiter } of plans) {
    last += limits.length;
    if (entry <= last) return limiter;
  }
  throw new RangeError(`entry: expected at most ${last}, got ${entry}`);
}

/** Whole units left under an entry's limit, never below 0. */
export function remainingOf(limit: Limit, entry: number, report: Report): number {
  return Math.max(0, limit.capacity - report.used[entry]!);
}
