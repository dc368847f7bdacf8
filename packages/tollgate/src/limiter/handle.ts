import { type Clock, readUs } from "../core/clock.ts";
import { type Cost, checkCost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { SyncHold, SyncSpace } from "../core/store.ts";
import type { Handle } from "./limiter.ts";
import type { Pair } from "./selection.ts";

/** A limiter's verbs over pairs that are known already. */
export interface PairVerbs {
  allowPairs(pairs: readonly Pair<SyncSpace>[], cost: Cost): boolean;
  consumePairs(pairs: readonly Pair<SyncSpace>[], cost: Cost): Decision;
}

/** A key under a space that can hold it: `allow` asks the space directly. */
export class HeldHandle implements Handle {
  readonly #hold: SyncHold;
  readonly #clock: Clock;
  readonly #pair: Pair<SyncSpace>;
  readonly #verbs: PairVerbs;

  constructor(hold: SyncHold, clock: Clock, pair: Pair<SyncSpace>, verbs: PairVerbs) {
    this.#hold = hold;
    this.#clock = clock;
    this.#pair = pair;
    this.#verbs = verbs;
  }

  allow(cost: Cost = 1): boolean {
    if (typeof cost !== "number") return this.#verbs.allowPairs([this.#pair], cost);
    checkCost(cost);
    return this.#hold.allow(readUs(this.#clock), cost);
  }

  consume(cost: Cost = 1): Decision {
    return this.#verbs.consumePairs([this.#pair], cost);
  }
}

/** Keys and limits that take more than that. */
export class PairsHandle implements Handle {
  readonly #pairs: readonly Pair<SyncSpace>[];
  readonly #verbs: PairVerbs;

  constructor(pairs: readonly Pair<SyncSpace>[], verbs: PairVerbs) {
    this.#pairs = pairs;
    this.#verbs = verbs;
  }

  allow(cost: Cost = 1): boolean {
    return this.#verbs.allowPairs(this.#pairs, cost);
  }

  consume(cost: Cost = 1): Decision {
    return this.#verbs.consumePairs(this.#pairs, cost);
  }
}
