import { compileLimit } from "../../../algorithms/compile-limit.ts";
import type { Limit } from "../../../core/limits/limit.ts";
import type { Report } from "../../../core/report.ts";
import { type Release, scriptAlgorithmOf } from "../script/algorithms.ts";

/**
 * Whether a limit's later figures follow exactly from its entry of a report, if nothing is taken or given back.
 *
 * A denied call moves counts to the limit's own numbers, at whose rate they come back. A blocked one does not: as long
 * as they are only viewed under these numbers, they come back at another rate. And a block may outlast a bucket that
 * starts empty, which then starts anew.
 */
export function canExtrapolate(limit: Limit, { block, isView, keptLimits }: Report, i: number): boolean {
  if (isView[i] === true && keptLimits[i] === undefined) return false;
  if (block !== undefined && compileLimit(limit, 0).startsEmpty) return false;
  return scriptAlgorithmOf(limit).release(limit) !== undefined;
}

/** Writes a limit's entry for a cost, `passedUs` after the report `then`. */
export function extrapolate(limit: Limit, cost: number, then: Report, i: number, passedUs: number, out: Report): void {
  const release = scriptAlgorithmOf(limit).release(limit) ?? "all-at-reset";
  const resetUs = Math.max(0, then.resetUs[i]! - passedUs);
  const used = usedAt(resetUs, release, then.used[i]!);
  const waitUs = waitFor(limit.capacity, cost, used, resetUs, release);
  out.resetUs[i] = resetUs;
  out.used[i] = used;
  out.waitUs[i] = waitUs;
  out.conforms[i] = waitUs === 0;
  out.usedAfterWait[i] = Number.isFinite(waitUs) ? usedAt(resetUs - waitUs, release, used) : 0;
}

function usedAt(resetUs: number, release: Release, used: number): number {
  if (resetUs <= 0) return 0;
  return release === "all-at-reset" ? used : Math.ceil(resetUs / release.everyUs);
}

function waitFor(capacity: number, cost: number, used: number, resetUs: number, release: Release): number {
  if (cost > capacity) return Number.POSITIVE_INFINITY;
  if (release === "all-at-reset") return used + cost <= capacity ? 0 : resetUs;
  return Math.max(0, resetUs - (capacity - cost) * release.everyUs);
}
