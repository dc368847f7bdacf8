import { REACH_US } from "../../../algorithms/ticks.ts";

/** 2035-01-01 in UTC. */
const FIRST_ORIGIN_US = 2_051_222_400_000_000;

/**
 * 40 years around an origin of ticks. Cells in Redis outlive processes and are read by all of them, so the origin cannot be when
 * a store was opened; moments of one era share an origin, near enough for exact ticks.
 */
export interface Era {
  readonly originUs: number;
  /** Stands in the names of keys, since cells of different eras mean different moments: empty from 2015 to 2054. */
  readonly mark: string;
}

/** The era of a moment in whole microseconds since the epoch. */
export function eraOf(us: number): Era {
  const number = Math.floor((us - FIRST_ORIGIN_US + REACH_US) / (2 * REACH_US));
  return { originUs: FIRST_ORIGIN_US + number * 2 * REACH_US, mark: number === 0 ? "" : String(number) };
}
