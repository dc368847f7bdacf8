import type { ModelTokenBucket } from "./model-limit.ts";
import { ceilDiv, floorDiv, greatestCommonDivisor } from "./whole-numbers.ts";

/** 365.25 days. */
export const YEAR_US: bigint = 31_557_600_000_000n;
const THIRTY_YEARS_US = 30n * YEAR_US;
const EXACT_INTEGERS = 2n ** 53n;

/**
 * How a token bucket counts time: in ticks. One unit is worth `ticksPerUnit` ticks.
 *
 * Here ticks count from the epoch, `⌊us·N·S/P⌋`. An origin that is a multiple of P subtracts a whole number of
 * ticks from every moment, which changes no comparison.
 */
export interface TickScale {
  readonly exact: boolean;
  /** S */
  readonly ticksPerUnit: bigint;
  /**
   * The ceiling of debt, as a distance from full. A moment 20 years and one period after an origin, plus the ceiling,
   * is still an exact float64 integer.
   */
  readonly mostDebt: bigint;
  ticks(us: bigint): bigint;
  /** The least whole microsecond whose ticks reach `ticks`. */
  firstUs(ticks: bigint): bigint;
}

/** The options of a limit that determine its scale. */
export type ScaledLimit = Pick<ModelTokenBucket, "capacity" | "refill" | "perUs">;

export function tickScale(limit: ScaledLimit): TickScale {
  const divisor = greatestCommonDivisor(limit.refill, limit.perUs);
  const n = limit.refill / divisor;
  const p = limit.perUs / divisor;
  const exact = THIRTY_YEARS_US * n + 4n * limit.capacity * p <= EXACT_INTEGERS;
  const s = exact ? p : largestPowerOfTwo(n, p, limit.capacity);
  const ticks = (us: bigint) => floorDiv(us * n * s, p);
  return {
    exact,
    ticksPerUnit: s,
    mostDebt: EXACT_INTEGERS - 1n - ticks(20n * YEAR_US) - n * s,
    ticks,
    firstUs: (moment) => ceilDiv(moment * p, n * s),
  };
}

function largestPowerOfTwo(n: bigint, p: bigint, capacity: bigint): bigint {
  const fits = (s: bigint) => THIRTY_YEARS_US * n * s + 4n * capacity * s * p <= EXACT_INTEGERS * p;
  if (!fits(1n)) throw new RangeError(`no scale fits ${n}/${p} units per µs with a capacity of ${capacity}`);
  let s = 1n;
  while (fits(s * 2n)) s *= 2n;
  return s;
}
