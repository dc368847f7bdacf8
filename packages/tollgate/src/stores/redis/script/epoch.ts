import { REACH_US } from "../../../algorithms/ticks.ts";

/** 2035-01-01 in UTC: the origin of ticks for all calls by the server's time. */
export const FIRST_ORIGIN_US = 2_051_222_400_000_000;

/**
 * 40 years around an origin of ticks. Cells in Redis outlive processes and are read by all of them, so the origin
 * cannot be the time at which a store was opened. Moments of one epoch share an origin that is near enough for exact
 * ticks.
 */
export interface Epoch {
  readonly originUs: number;
  /** Part of the names of keys, because cells of different epochs mean different moments. Empty from 2015 to 2054. */
  readonly mark: string;
}

/** The epoch of a moment in whole microseconds since 1970. */
export function epochOf(us: number): Epoch {
  const number = Math.floor((us - FIRST_ORIGIN_US + REACH_US) / (2 * REACH_US));
  return { originUs: FIRST_ORIGIN_US + number * 2 * REACH_US, mark: number === 0 ? "" : String(number) };
}
