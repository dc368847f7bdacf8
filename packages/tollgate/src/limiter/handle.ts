import { type Clock, readUs } from "../core/clock.ts";
import { type Cost, checkCost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { SyncHold, SyncSpace } from "../core/store.ts";
import type { Handle } from "./limiter.ts";
import type { Pair } from "./selection.ts";

type Pairs = readonly Pair<SyncSpace>[];

/** A limiter's verbs over pairs that are known already. */
export interface HandleVerbs {
  allow(pairs: Pairs, cost: Cost): boolean;
  consume(pairs: Pairs, cost: Cost): Decision;
}

/** A key and its limits, looked up once. Where the store can hold the key, `allow` asks it directly. */
export class SyncHandle implements Handle {
  readonly #hold: SyncHold | undefined;
  readonly #clock: Clock;
  readonly #pairs: Pairs;
  readonly #verbs: HandleVerbs;

  constructor(hold: SyncHold | undefined, clock: Clock, pairs: Pairs, verbs: HandleVerbs) {
    this.#hold = hold;
    this.#clock = clock;
    this.#pairs = pairs;
    this.#verbs = verbs;
  }

  allow(cost: Cost = 1): boolean {
    const hold = this.#hold;
    if (hold === undefined || typeof cost !== "number") return this.#verbs.allow(this.#pairs, cost);
    checkCost(cost);
    return hold.allow(readUs(this.#clock), cost);
  }

  consume(cost: Cost = 1): Decision {
    return this.#verbs.consume(this.#pairs, cost);
  }
}
