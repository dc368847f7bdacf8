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
  readonly grid: () => Grid;
  /** The clients that need most at the rate of the balanced suggestion. */
  readonly neediest: () => readonly { readonly client: number; readonly capacity: number }[];
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
  /** What the clients needed until the boundary, by the rates of the suggestions: those count anew from there. */
  #early: ReadonlyMap<number, Uint32Array> = new Map();

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
    if (this.#fitted === undefined && timeUs > this.#boundaryUs) this.#fit();
    this.#envelopes.add(client, timeUs);
  }

  #fit(): void {
    this.#fitted = this.#suggest();
    this.#early = new Map(this.#fitted.map(({ rate }) => [rate, this.#needs(rate)]));
    for (const [rate, needs] of this.#early) this.#envelopes.setNeeds(rate, new Uint32Array(needs.length));
  }

  /** @throws LogError if there are too few clients. */
  judge(): Fit {
    const suggestions = this.#fitted ?? this.#suggest();
    const checked = suggestions.map((suggestion) => this.#fitted && this.#lateShare(suggestion));
    for (const [rate, early] of this.#early) {
      const needs = this.#needs(rate).map((late, client) => Math.max(late, early[client] ?? 0));
      this.#envelopes.setNeeds(rate, needs);
    }
    const neediestRate = suggestions[1]?.rate ?? MIDDLE_RATE;
    return {
      suggestions: suggestions.map((suggestion, index) => ({
        ...suggestion,
        clients: deniedShare(this.#needs(suggestion.rate), suggestion.capacity),
        checked: checked[index],
      })),
      grid: () => this.#grid(),
      neediest: () => {
        const needs = this.#needs(neediestRate);
        return greatest(needs, NEEDIEST).map((client) => ({ client, capacity: needs[client]! }));
      },
    };
  }

  #grid(): Grid {
    const rows = RATES.map((_, rate) => {
      const needs = this.#needs(rate).sort();
      return {
        shares: CAPACITIES.map((capacity) => deniedShare(needs, capacity)),
        capacities: FRONTIERS.map(([, share]) => leastCapacity(needs, Math.floor(needs.length * share))),
      };
    });
    return {
      capacities: CAPACITIES,
      shares: rows.map(({ shares }) => shares),
      frontiers: FRONTIERS.map(([name], line) => ({ name, capacities: rows.map((row) => row.capacities[line]!) })),
    };
  }

  /** The share of the clients that came after the boundary that the suggestion denied something there. */
  #lateShare({ rate, capacity }: Suggestion): number {
    const needs = this.#needs(rate).filter((_, client) => this.#envelopes.lastUs(client) > this.#boundaryUs);
    return deniedShare(needs, capacity);
  }

  #suggest(): readonly Suggestion[] {
    if (this.#share === undefined) return [];
    const needed = clientsNeededFor(this.#share);
    const { count } = this.#clients;
    if (count < needed) {
      throw new LogError(`--suggest ${this.#share.text}: expected a log with at least ${needed} clients, got ${count}`);
    }
    const denied = mayDeny(count, this.#share);
    return suggest(RATES.map((_, rate) => leastCapacity(this.#needs(rate).sort(), denied)));
  }

  /** What the clients need, by their numbers. */
  #needs(rate: number): Uint32Array {
    return this.#envelopes.needs(rate, this.#clients.count);
  }
}

/** The share of clients that a bucket would have denied something: those that need more than its capacity. */
function deniedShare(needs: Uint32Array, capacity: number): number {
  return needs.filter((need) => need > capacity).length / Math.max(1, needs.length);
}

/** The least capacity that denies something to this many clients at most, of what clients need in ascending order. */
function leastCapacity(needs: Uint32Array, denied: number): number {
  return Math.max(1, needs.at(-1 - denied) ?? 1);
}
