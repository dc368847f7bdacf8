import type { Clients } from "./clients.ts";
import { Envelopes } from "./envelopes.ts";
import { greatest } from "./greatest.ts";
import { LogError } from "./log-error.ts";
import { RATES } from "./rates.ts";
import { clientsNeededFor, mayDeny, type Share, type Suggestion, suggest } from "./suggest.ts";

/** A bucket, and what it would have done. */
export interface JudgedSuggestion extends Suggestion {
  /** The share of clients that it would have denied something in the whole log. */
  readonly clients: number;
  /** The same share in the last fifth of the time, which it was not fitted to. `undefined` if the end was not known. */
  readonly checked: number | undefined;
}

/** What every bucket of a grid would have denied. */
export interface Grid {
  readonly capacities: readonly number[];
  /** The share of clients that are denied something, by rate, then by capacity. */
  readonly shares: readonly (readonly number[])[];
  /** The least capacities, by rate, that deny something to a share of clients at most. */
  readonly frontiers: readonly { readonly name: string; readonly capacities: readonly number[] }[];
}

/** What would have fitted a log. */
export interface Fit {
  /** Empty if no share was asked for. */
  readonly suggestions: readonly JudgedSuggestion[];
  readonly grid: Grid;
  /** The clients that need most at the rate of the balanced suggestion. */
  readonly neediest: readonly { readonly client: number; readonly capacity: number }[];
}

const CAPACITIES = [1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1_000, 2_000, 5_000, 10_000];
const FRONTIERS = [
  ["no client", 0],
  ["0.1 %", 0.001],
  ["1 %", 0.01],
] as const;
const NEEDIEST = 20;
/** The rate without a suggestion: one a minute. */
const MIDDLE_RATE = 7;

/** Fits suggestions to the first part of a log, and checks them on the rest. */
export class Fitting {
  readonly #clients: Clients;
  readonly #share: Share | undefined;
  readonly #boundaryUs: number;
  readonly #envelopes = new Envelopes();
  #fitted: readonly Suggestion[] | undefined;
  /** A byte for each client: 1 if it came after the boundary, and a bit for each suggestion that denied it. */
  #flags = new Uint8Array(0);

  /** @param boundaryUs Until when requests are fitted to. Infinity if the log's end is not known. */
  constructor(clients: Clients, share: Share | undefined, boundaryUs: number) {
    this.#clients = clients;
    this.#share = share;
    this.#boundaryUs = boundaryUs;
  }

  /**
   * Counts a request. Clients beyond the bound fit nothing.
   *
   * @throws LogError at the boundary, if there are too few clients.
   */
  add(client: number, timeUs: number): void {
    if (client === this.#clients.most) return;
    if (this.#fitted === undefined && timeUs > this.#boundaryUs) {
      this.#fitted = this.#suggest();
      this.#flags = new Uint8Array(this.#clients.most);
    }
    this.#envelopes.add(client, timeUs);
    if (this.#fitted !== undefined) this.#check(client, this.#fitted);
  }

  #check(client: number, suggestions: readonly Suggestion[]): void {
    let flags = this.#flags[client]! | 1;
    suggestions.forEach(({ rate, capacity }, index) => {
      if (this.#envelopes.backlog(client, rate) > capacity) flags |= 2 << index;
    });
    this.#flags[client] = flags;
  }

  /** @throws LogError if there are too few clients. */
  judge(): Fit {
    const suggestions = this.#fitted ?? this.#suggest();
    const { count } = this.#clients;
    const deniedShare = (needs: Uint32Array, capacity: number) => deniedOf(needs, capacity) / count;
    const rows = RATES.map((_, rate) => {
      const needs = this.#needs(rate);
      return {
        shares: CAPACITIES.map((capacity) => deniedShare(needs, capacity)),
        capacities: FRONTIERS.map(([, share]) => leastCapacity(needs, Math.floor(count * share))),
      };
    });
    const balanced = this.#envelopes.needs(suggestions[1]?.rate ?? MIDDLE_RATE, count);
    return {
      suggestions: suggestions.map((suggestion, index) => ({
        ...suggestion,
        clients: deniedShare(this.#needs(suggestion.rate), suggestion.capacity),
        checked: this.#fitted && this.#checkedShare(index),
      })),
      grid: {
        capacities: CAPACITIES,
        shares: rows.map(({ shares }) => shares),
        frontiers: FRONTIERS.map(([name], line) => ({ name, capacities: rows.map((row) => row.capacities[line]!) })),
      },
      neediest: greatest(balanced, NEEDIEST).map((client) => ({ client, capacity: balanced[client]! })),
    };
  }

  #checkedShare(index: number): number {
    const seen = this.#flags.subarray(0, this.#clients.count).filter((flags) => flags > 0);
    return seen.filter((flags) => (flags & (2 << index)) > 0).length / Math.max(1, seen.length);
  }

  #suggest(): readonly Suggestion[] {
    if (this.#share === undefined) return [];
    const needed = clientsNeededFor(this.#share);
    const { count } = this.#clients;
    if (count < needed) {
      throw new LogError(`--suggest ${this.#share.text}: expected a log with at least ${needed} clients, got ${count}`);
    }
    const denied = mayDeny(count, this.#share);
    return suggest(RATES.map((_, rate) => leastCapacity(this.#needs(rate), denied)));
  }

  /** What the clients need, the greatest first. */
  #needs(rate: number): Uint32Array {
    return this.#envelopes.needs(rate, this.#clients.count).sort().toReversed();
  }
}

/** How many clients a bucket would have denied something: those that need more than its capacity. */
function deniedOf(needs: Uint32Array, capacity: number): number {
  const others = needs.findIndex((need) => need <= capacity);
  return others < 0 ? needs.length : others;
}

/** The least capacity that denies something to this many clients at most. */
function leastCapacity(needs: Uint32Array, denied: number): number {
  return Math.max(1, needs[denied] ?? 1);
}
