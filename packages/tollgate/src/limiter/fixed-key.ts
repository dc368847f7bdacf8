import type { Cost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { SyncSpace } from "../core/store.ts";
import type { Corrections } from "./counted-cost.ts";
import type { FixedSelection } from "./selection.ts";

type Fixed = FixedSelection<never, SyncSpace>;

/** The verbs that correct a call under fixed limits. */
export interface FixedVerbs {
  chargeFixed(fixed: Fixed, key: string, cost: Cost, decision: Decision): Decision;
  refundFixed(fixed: Fixed, key: string, cost: Cost, decision: Decision): void;
}

/** A key under fixed limits. Reservations need no choice of keys and limits for it. */
export class FixedKey implements Corrections {
  readonly #fixed: Fixed;
  readonly #key: string;
  readonly #verbs: FixedVerbs;

  constructor(fixed: Fixed, key: string, verbs: FixedVerbs) {
    this.#fixed = fixed;
    this.#key = key;
    this.#verbs = verbs;
  }

  charge(cost: Cost, decision: Decision): Decision {
    return this.#verbs.chargeFixed(this.#fixed, this.#key, cost, decision);
  }

  refund(cost: Cost, decision: Decision): void {
    this.#verbs.refundFixed(this.#fixed, this.#key, cost, decision);
  }
}
