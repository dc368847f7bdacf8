import { TollgateError } from "../errors.ts";

/** Thirty years: a token bucket's ticks must be exact so far from their origin. */
const HORIZON_US = 30 * 365.25 * 86_400_000_000;

const TWO_53 = 2 ** 53;
const FASTEST_PER_US = 9;

/** A refill rate in lowest terms and the size of its unit in ticks (docs/internals/ticks.md). */
export interface TickScale {
  /** The rate is `units / periodUs` units per microsecond, in lowest terms. */
  readonly units: number;
  readonly periodUs: number;
  /** S: the ticks in a unit, an integer. */
  readonly ticksPerUnit: number;
  /** Whether a tick is an exact fraction of a microsecond (S = periodUs), so that nothing is rounded. */
  readonly exact: boolean;
}

/**
 * Chooses the ticks for a token bucket.
 *
 * @throws TollgateError `ERR_LIMIT` when the rate is above 9 units per µs, or the capacity does not fit beside it.
 */
export function tickScale(capacity: number, refill: number, perUs: number): TickScale {
  const divisor = greatestCommonDivisor(refill, perUs);
  const units = refill / divisor;
  const periodUs = perUs / divisor;
  if (units > FASTEST_PER_US * periodUs) {
    throw new TollgateError(
      "ERR_LIMIT",
      `refill: expected at most ${FASTEST_PER_US} units per microsecond, got ${refill} in ${perUs} µs; ` +
        "count in larger units (kilobytes instead of bytes)",
    );
  }
  const fits = (ticksPerUnit: number) =>
    HORIZON_US * ((units / periodUs) * ticksPerUnit) + 4 * capacity * ticksPerUnit <= TWO_53;
  if (fits(periodUs)) return { units, periodUs, ticksPerUnit: periodUs, exact: true };
  let ticksPerUnit = TWO_53;
  while (ticksPerUnit >= 1 && !fits(ticksPerUnit)) ticksPerUnit /= 2;
  if (ticksPerUnit < 1) {
    throw new TollgateError(
      "ERR_LIMIT",
      `capacity: expected at most ${Math.floor((TWO_53 - HORIZON_US * (units / periodUs)) / 4)} units at this rate, ` +
        `got ${capacity}; count in larger units`,
    );
  }
  return { units, periodUs, ticksPerUnit, exact: false };
}

/** The largest whole number that divides both. */
export function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
