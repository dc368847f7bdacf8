import type { Clients } from "./clients.ts";
import { Envelopes } from "./envelopes.ts";
import { LogError } from "./log-error.ts";
import { clientsNeededFor, countDenied, type Share, type Suggestion, suggest } from "./suggest.ts";

/** A bucket, and what it would have done. */
export interface JudgedSuggestion extends Suggestion {
  /** The share of clients that it would have denied something in the whole log. */
  readonly clients: number;
  /** The same share in the last fifth of the time, which it was not fitted to. `undefined` if the end was not known. */
  readonly checked: number | undefined;
}

/** Fits suggestions to the first part of a log, and checks them on the rest. */
export class Fitting {
  readonly #clients: Clients;
  readonly #share: Share;
  readonly #boundaryUs: number;
  readonly #envelopes = new Envelopes();
  #check: Check | undefined;

  /** @param boundaryUs Until when requests are fitted to. Infinity if the log's end is not known. */
  constructor(clients: Clients, share: Share, boundaryUs: number) {
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
  judge(): readonly JudgedSuggestion[] {
    const suggestions = this.#check?.suggestions ?? this.#suggest();
    return suggestions.map((suggestion, index) => ({
      ...suggestion,
      clients: countDenied(this.#clients, this.#envelopes, suggestion) / this.#clients.count,
      checked: this.#check?.deniedShare(index),
    }));
  }

  #suggest(): readonly Suggestion[] {
    const needed = clientsNeededFor(this.#share);
    const { count } = this.#clients;
    if (count >= needed) return suggest(this.#clients, this.#envelopes, this.#share);
    throw new LogError(`--suggest ${this.#share.text}: expected a log with at least ${needed} clients, got ${count}`);
  }
}

/** What suggestions deny in the part of the log that they were not fitted to. */
class Check {
  readonly suggestions: readonly Suggestion[];
  readonly #seen = new Set<number>();
  readonly #denied: readonly Set<number>[];

  constructor(suggestions: readonly Suggestion[]) {
    this.suggestions = suggestions;
    this.#denied = suggestions.map(() => new Set());
  }

  /** After the client's request has been counted. */
  add(client: number, envelopes: Envelopes): void {
    this.#seen.add(client);
    this.suggestions.forEach(({ rate, capacity }, index) => {
      if (envelopes.backlog(client, rate) > capacity) this.#denied[index]?.add(client);
    });
  }

  deniedShare(index: number): number {
    return this.#seen.size === 0 ? 0 : (this.#denied[index]?.size ?? 0) / this.#seen.size;
  }
}
