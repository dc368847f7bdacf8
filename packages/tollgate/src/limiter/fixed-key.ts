import type { Cost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { SyncSpace } from "../core/store.ts";
import { Choice } from "./choice.ts";
import type { Corrections } from "./counted-cost.ts";
import type { ChoiceVerbs } from "./handle.ts";
import type { FixedSelection } from "./selection.ts";

/** A key under fixed limits. A reservation makes it a choice only if it has to be corrected. */
export class FixedKey implements Corrections {
  readonly #fixed: FixedSelection<never, SyncSpace>;
  readonly #key: string;
  readonly #verbs: ChoiceVerbs<"sync", SyncSpace>;

  constructor(fixed: FixedSelection<never, SyncSpace>, key: string, verbs: ChoiceVerbs<"sync", SyncSpace>) {
    this.#fixed = fixed;
    this.#key = key;
    this.#verbs = verbs;
  }

  charge(cost: Cost, decision: Decision): Decision {
    return this.#verbs.chargeChosen(this.#choice, cost, decision);
  }

  refund(cost: Cost, decision: Decision): void {
    this.#verbs.refundChosen(this.#choice, cost, decision);
  }

  get #choice(): Choice<SyncSpace> {
    const choice = new Choice<SyncSpace>();
    choice.add(this.#key, this.#fixed, undefined);
    return choice;
  }
}
