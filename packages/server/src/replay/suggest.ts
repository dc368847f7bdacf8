import type { Needs } from "./needs.ts";
import { RATES, type Rate } from "./rates.ts";

/** A share of clients in whole parts, so that 99.9 of 100 leaves exactly one client in a thousand. */
export interface Share {
  /** The percentage as it was written, such as `99.9`. */
  readonly text: string;
  /** The part of clients that may be denied something: `parts` of `whole`. */
  readonly parts: number;
  readonly whole: number;
}

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
 * Three buckets under which at most the share of clients would have been denied anything. The quantile of what each
 * client needs gives the least capacity for each rate; each suggestion is one of these pairs.
 */
export function suggest(needs: Needs, clients: number, share: Share): readonly Suggestion[] {
  const pairs = RATES.map((_, rate) => needs.leastCapacity(rate, mayDeny(clients, share)));
  return SPANS.map(([name, spanMs]) => {
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    pairs.forEach((capacity, rate) => {
      const { refill, perMs } = RATES[rate]!;
      const units = capacity + (refill * spanMs) / perMs;
      if (units < least) [best, least] = [rate, units];
    });
    return { name, rate: best, capacity: pairs[best]!, ...RATES[best]! };
  });
}

/** How many clients may be denied something. */
function mayDeny(clients: number, { parts, whole }: Share): number {
  return Math.floor((clients * parts) / whole);
}

/** How many clients a share needs to mean at least one of them. */
export function clientsNeededFor({ parts, whole }: Share): number {
  return parts === 0 ? 1 : Math.ceil(whole / parts);
}
