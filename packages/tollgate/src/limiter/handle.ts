import { type Clock, readInto } from "../core/clock.ts";
import { type Cost, checkCost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { SyncHold, SyncSpace } from "../core/store.ts";
import type { TimeCell } from "../core/time-cell.ts";
import type { Handle } from "./limiter.ts";
import type { Choice } from "./selection.ts";

/** A limiter's verbs over a key and limits that are chosen already. */
export interface ChoiceVerbs {
  allowChosen(choice: Choice<SyncSpace>, cost: Cost): boolean;
  consumeChosen(choice: Choice<SyncSpace>, cost: Cost): Decision;
  chargeChosen(choice: Choice<SyncSpace>, cost: Cost, decision: Decision | undefined): Decision;
  refundChosen(choice: Choice<SyncSpace>, cost: Cost, decision: Decision | undefined): void;
}

/** A key under a space that can hold it: `allow` asks the space directly. */
export class HeldHandle implements Handle {
  readonly #hold: SyncHold;
  readonly #clock: Clock;
  /** The limiter's, to note the time in. */
  readonly #now: TimeCell;
  readonly #choice: Choice<SyncSpace>;
  readonly #verbs: ChoiceVerbs;

  constructor(hold: SyncHold, clock: Clock, now: TimeCell, choice: Choice<SyncSpace>, verbs: ChoiceVerbs) {
    this.#hold = hold;
    this.#clock = clock;
    this.#now = now;
    this.#choice = choice;
    this.#verbs = verbs;
  }

  allow(cost: Cost = 1): boolean {
    if (typeof cost !== "number") return this.#verbs.allowChosen(this.#choice, cost);
    checkCost(cost);
    readInto(this.#clock, this.#now);
    return this.#hold.allow(this.#now, cost);
  }

  consume(cost: Cost = 1): Decision {
    return this.#verbs.consumeChosen(this.#choice, cost);
  }

  charge(cost: Cost, decision?: Decision): Decision {
    return this.#verbs.chargeChosen(this.#choice, cost, decision);
  }

  refund(cost: Cost, decision?: Decision): void {
    this.#verbs.refundChosen(this.#choice, cost, decision);
  }
}

/** Keys and limits that take more than that. */
export class ChosenHandle implements Handle {
  readonly #choice: Choice<SyncSpace>;
  readonly #verbs: ChoiceVerbs;

  constructor(choice: Choice<SyncSpace>, verbs: ChoiceVerbs) {
    this.#choice = choice;
    this.#verbs = verbs;
  }

  allow(cost: Cost = 1): boolean {
    return this.#verbs.allowChosen(this.#choice, cost);
  }

  consume(cost: Cost = 1): Decision {
    return this.#verbs.consumeChosen(this.#choice, cost);
  }

  charge(cost: Cost, decision?: Decision): Decision {
    return this.#verbs.chargeChosen(this.#choice, cost, decision);
  }

  refund(cost: Cost, decision?: Decision): void {
    this.#verbs.refundChosen(this.#choice, cost, decision);
  }
}
