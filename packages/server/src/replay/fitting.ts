import type { Clients } from "./clients.ts";
import { Envelopes } from "./envelopes.ts";
import { type Grid, gridOf } from "./grid.ts";
import { LogError } from "./log-error.ts";
import { Needs } from "./needs.ts";
import { clientsNeededFor, type Share, type Suggestion, suggest } from "./suggest.ts";

/** A bucket, and what it would have done. */
export interface JudgedSuggestion extends Suggestion {
  /** The share of clients that it would have denied something in the whole log. */
  readonly clients: number;
  /** The same share in the last fifth of the time, which it was not fitted to. `undefined` if the end was not known. */
  readonly checked: number | undefined;
}

/** What would have fitted a log. */
export interface Fit {
  /** Empty if no share was asked for. */
  readonly suggestions: readonly JudgedSuggestion[];
  readonly grid: Grid;
  /** The clients that need most at the rate of the balanced suggestion. */
  readonly neediest: readonly { readonly client: number; readonly capacity: number }[];
}

const NEEDIEST = 20;
/** The rate without a suggestion: one a minute. */
const MIDDLE_RATE = 7;

/** Fits suggestions to the first part of a log, and checks them on the rest. */
export class Fitting {
  readonly #clients: Clients;
  readonly #share: Share | undefined;
  readonly #boundaryUs: number;
  readonly #envelopes = new Envelopes();
  #check: Check | undefined;

  /** @param boundaryUs Until when requests are fitted to. Infinity if the log's end is not known. */
  constructor(clients: Clients, share: Share | undefined, boundaryUs: number) {
    this.#clients = clients;
    this.#share = share;
    this.#boundaryUs = boundaryUs;
  }

  /** @throws LogError at the boundary, if there are too few clients. */
  add(client: number, timeUs: number): void {
    if (this.#check === undefined && timeUs > this.#boundaryUs) this.#check = new Check(this.#suggest());
    this.#envelopes.add(client, timeUs);
    if (this.#check !== undefined && !this.#clients.isShared(client)) this.#check.add(client, this.#envelopes);
  }

  /** @throws LogError if there are too few clients. */
  judge(): Fit {
    const suggestions = this.#check?.suggestions ?? this.#suggest();
    const needs = new Needs(this.#clients.count, this.#envelopes);
    return {
      suggestions: suggestions.map((suggestion, index) => ({
        ...suggestion,
        clients: needs.denied(suggestion.rate, suggestion.capacity) / this.#clients.count,
        checked: this.#check?.deniedShare(index),
      })),
      grid: gridOf(needs, this.#clients.count),
      neediest: this.#neediest(suggestions[1]?.rate ?? MIDDLE_RATE),
    };
  }

  #neediest(rate: number): { client: number; capacity: number }[] {
    let most: { client: number; capacity: number }[] = [];
    let least = 0;
    for (let client = 0; client < this.#clients.count; client += 1) {
      const capacity = this.#envelopes.leastCapacity(client, rate);
      if (capacity <= least) continue;
      most = [...most, { client, capacity }].sort((one, other) => other.capacity - one.capacity).slice(0, NEEDIEST);
      if (most.length === NEEDIEST) least = most.at(-1)?.capacity ?? 0;
    }
    return most;
  }

  #suggest(): readonly Suggestion[] {
    if (this.#share === undefined) return [];
    const needed = clientsNeededFor(this.#share);
    const { count } = this.#clients;
    if (count >= needed) return suggest(new Needs(count, this.#envelopes), count, this.#share);
    throw new LogError(`--suggest ${this.#share.text}: expected a log with at least ${needed} clients, got ${count}`);
  }
}

/** What suggestions deny in the part of the log that they were not fitted to. */
class Check {
  readonly suggestions: readonly Suggestion[];
  /** A byte for each client: 1 if it has been seen, and a further bit for each suggestion that denied it something. */
  #flags = new Uint8Array(1_024);

  constructor(suggestions: readonly Suggestion[]) {
    this.suggestions = suggestions;
  }

  /** After the client's request has been counted. */
  add(client: number, envelopes: Envelopes): void {
    if (client >= this.#flags.length) {
      const larger = new Uint8Array(2 * client);
      larger.set(this.#flags);
      this.#flags = larger;
    }
    let flags = this.#flags[client]! | 1;
    for (let index = 0; index < this.suggestions.length; index += 1) {
      const { rate, capacity } = this.suggestions[index]!;
      if (envelopes.backlog(client, rate) > capacity) flags |= 2 << index;
    }
    this.#flags[client] = flags;
  }

  deniedShare(index: number): number {
    let seen = 0;
    let denied = 0;
    for (const flags of this.#flags) {
      if ((flags & 1) !== 0) seen += 1;
      if ((flags & (2 << index)) !== 0) denied += 1;
    }
    return seen === 0 ? 0 : denied / seen;
  }
}
