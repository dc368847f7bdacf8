import type { Clients } from "./clients.ts";
import type { Envelopes } from "./envelopes.ts";
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
export function suggest(clients: Clients, envelopes: Envelopes, share: Share): readonly Suggestion[] {
  const pairs = frontier(clients, envelopes, mayDeny(clients.count, share));
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

/** The least whole capacity for each rate under which only so many clients are denied something. */
function frontier(clients: Clients, envelopes: Envelopes, denied: number): readonly number[] {
  const needed = new Float64Array(clients.count);
  return RATES.map((_, rate) => {
    for (let client = 0; client < needed.length; client += 1) needed[client] = envelopes.leastCapacity(client, rate);
    needed.sort();
    return Math.max(1, Math.ceil(needed[needed.length - 1 - denied] ?? 1));
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

/** Clients that a bucket would have denied something: all of these need more than its capacity. */
export function countDenied(clients: Clients, envelopes: Envelopes, { rate, capacity }: Suggestion): number {
  let denied = 0;
  for (let client = 0; client < clients.count; client += 1) {
    if (envelopes.leastCapacity(client, rate) > capacity) denied += 1;
  }
  return denied;
}
