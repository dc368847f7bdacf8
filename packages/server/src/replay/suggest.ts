import { RATES, type Rate } from "./rates.ts";

/** A share of clients in whole parts, so that 99.9 percent leave exactly one client in a thousand. */
export interface Share {
  /** The percentage as it was written, such as `99.9`. */
  readonly text: string;
  /** The part of clients that may be denied something, in millionths of a percent. */
  readonly parts: number;
}

const WHOLE = 100e6;

/** A token bucket for each client. */
export interface Suggestion extends Rate {
  readonly name: "tight" | "balanced" | "loose";
  readonly capacity: number;
  /** Where the rate is among `RATES`. */
  readonly rate: number;
}

/**
 * What each suggestion keeps small: the units that one client can take in a span, capacity + rate · span. A long span
 * prefers slow rates with room for bursts, a short one the smallest bursts.
 */
const SPANS = [
  ["tight", 3_600_000],
  ["balanced", 60_000],
  ["loose", 1_000],
] as const;

/**
 * Three of the buckets that suit the share of clients.
 *
 * @param capacities The least one for each rate.
 */
export function suggest(capacities: readonly number[]): readonly Suggestion[] {
  return SPANS.map(([name, spanMs]) => {
    const units = RATES.map(({ refill, perMs }, rate) => capacities[rate]! + (refill * spanMs) / perMs);
    const rate = units.indexOf(Math.min(...units));
    return { name, rate, capacity: capacities[rate]!, ...RATES[rate]! };
  });
}

/** How many clients may be denied something. */
export function mayDeny(clients: number, { parts }: Share): number {
  return Math.floor((clients * parts) / WHOLE);
}

/** How many clients a share needs to mean at least one of them. */
export function clientsNeededFor({ parts }: Share): number {
  return parts === 0 ? 1 : Math.ceil(WHOLE / parts);
}
