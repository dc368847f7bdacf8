import { toMicroseconds } from "../../../core/duration.ts";
import type { Limit } from "../../../core/limits/limit.ts";
import { tickScale } from "../../../core/limits/tick-scale.ts";
import type { Report } from "../../../core/report.ts";

/**
 * Whether a limit's figures at a later moment follow exactly from those of a report, if nothing was taken or given back: those
 * of fixed windows, and of buckets with a whole number of microseconds to a unit, for then a tick is one.
 */
export function isForeseeable(limit: Limit): boolean {
  if (limit.algorithm !== "token-bucket") return limit.algorithm === "fixed-window";
  const { exact, units } = tickScale(limit.capacity, limit.refill, toMicroseconds("per", limit.perMs));
  return exact && units === 1;
}

/** Writes a limit's entry for a cost, `passedUs` after the report `then`. */
export function restate(limit: Limit, cost: number, then: Report, i: number, passedUs: number, report: Report): void {
  const resetUs = Math.max(0, then.resetUs[i]! - passedUs);
  const unitUs =
    limit.algorithm === "token-bucket" ? Math.round(toMicroseconds("per", limit.perMs) / limit.refill) : undefined;
  const used = usedAt(resetUs, unitUs, then.used[i]!);
  const waitUs = waitFor(limit.capacity, cost, used, resetUs, unitUs);
  report.resetUs[i] = resetUs;
  report.used[i] = used;
  report.waitUs[i] = waitUs;
  report.conforms[i] = waitUs === 0;
  report.usedAfterWait[i] = Number.isFinite(waitUs) ? usedAt(resetUs - waitUs, unitUs, used) : 0;
}

/** In buckets a unit comes back each `unitUs`; windows keep all until they end. */
function usedAt(resetUs: number, unitUs: number | undefined, used: number): number {
  if (resetUs <= 0) return 0;
  return unitUs === undefined ? used : Math.ceil(resetUs / unitUs);
}

function waitFor(capacity: number, cost: number, used: number, resetUs: number, unitUs: number | undefined): number {
  if (cost > capacity) return Number.POSITIVE_INFINITY;
  if (unitUs !== undefined) return Math.max(0, resetUs - (capacity - cost) * unitUs);
  return used + cost <= capacity ? 0 : resetUs;
}
