import { type Clock, readInstant } from "../core/clock.ts";
import { type Cost, checkCost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { Instant } from "../core/instant.ts";
import type { SyncHold, SyncSpace } from "../core/store.ts";
import type { Handle } from "./limiter.ts";
import type { Pair } from "./selection.ts";

/** Names the pairs of a key and limits that are chosen already. */
export type ChosenPairs = () => readonly Pair<SyncSpace>[];

/** A limiter's verbs over such pairs. */
export interface PairVerbs {
  allowPairs(pairs: ChosenPairs, cost: Cost): boolean;
  consumePairs(pairs: ChosenPairs, cost: Cost): Decision;
  chargePairs(pairs: ChosenPairs, cost: Cost, decision: Decision | undefined): Decision;
  refundPairs(pairs: ChosenPairs, cost: Cost, decision: Decision | undefined): void;
}

/** A key under a space that can hold it: `allow` asks the space directly. */
export class HeldHandle implements Handle {
  readonly #hold: SyncHold;
  readonly #clock: Clock;
  /** The limiter's, to note the time in. */
  readonly #now: Instant;
  readonly #pairs: ChosenPairs;
  readonly #verbs: PairVerbs;

  constructor(hold: SyncHold, clock: Clock, now: Instant, pairs: ChosenPairs, verbs: PairVerbs) {
    this.#hold = hold;
    this.#clock = clock;
    this.#now = now;
    this.#pairs = pairs;
    this.#verbs = verbs;
  }

  allow(cost: Cost = 1): boolean {
    if (typeof cost !== "number") return this.#verbs.allowPairs(this.#pairs, cost);
    checkCost(cost);
    readInstant(this.#clock, this.#now);
    return this.#hold.allow(this.#now, cost);
  }

  consume(cost: Cost = 1): Decision {
    return this.#verbs.consumePairs(this.#pairs, cost);
  }

  charge(cost: Cost, decision?: Decision): Decision {
    return this.#verbs.chargePairs(this.#pairs, cost, decision);
  }

  refund(cost: Cost, decision?: Decision): void {
    this.#verbs.refundPairs(this.#pairs, cost, decision);
  }
}

/** Keys and limits that take more than that. */
export class PairsHandle implements Handle {
  readonly #pairs: ChosenPairs;
  readonly #verbs: PairVerbs;

  constructor(pairs: ChosenPairs, verbs: PairVerbs) {
    this.#pairs = pairs;
    this.#verbs = verbs;
  }

  allow(cost: Cost = 1): boolean {
    return this.#verbs.allowPairs(this.#pairs, cost);
  }

  consume(cost: Cost = 1): Decision {
    return this.#verbs.consumePairs(this.#pairs, cost);
  }

  charge(cost: Cost, decision?: Decision): Decision {
    return this.#verbs.chargePairs(this.#pairs, cost, decision);
  }

  refund(cost: Cost, decision?: Decision): void {
    this.#verbs.refundPairs(this.#pairs, cost, decision);
  }
}
