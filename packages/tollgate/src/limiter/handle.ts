import { type Clock, readInto } from "../core/clock.ts";
import { type Cost, checkCost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { KeyRef } from "../core/key-ref.ts";
import type { SyncSpace } from "../core/store.ts";
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

/** A handle for any choice of keys and limits. */
export class ChoiceHandle implements Handle {
  protected readonly choice: Choice<SyncSpace>;
  protected readonly verbs: ChoiceVerbs;

  constructor(choice: Choice<SyncSpace>, verbs: ChoiceVerbs) {
    this.choice = choice;
    this.verbs = verbs;
  }

  allow(cost: Cost = 1): boolean {
    return this.verbs.allowChosen(this.choice, cost);
  }

  consume(cost: Cost = 1): Decision {
    return this.verbs.consumeChosen(this.choice, cost);
  }

  charge(cost: Cost, decision?: Decision): Decision {
    return this.verbs.chargeChosen(this.choice, cost, decision);
  }

  refund(cost: Cost, decision?: Decision): void {
    this.verbs.refundChosen(this.choice, cost, decision);
  }
}

/** A space that has key references. */
type RefSpace = Required<Pick<SyncSpace, "allowRef">>;

/** A handle whose `allow` asks the space directly, by a key reference. */
export class KeyRefHandle extends ChoiceHandle {
  readonly #space: RefSpace;
  readonly #ref: KeyRef;
  readonly #clock: Clock;
  /** The limiter's time cell. */
  readonly #now: TimeCell;

  constructor(
    space: RefSpace,
    ref: KeyRef,
    clock: Clock,
    now: TimeCell,
    choice: Choice<SyncSpace>,
    verbs: ChoiceVerbs,
  ) {
    super(choice, verbs);
    this.#space = space;
    this.#ref = ref;
    this.#clock = clock;
    this.#now = now;
  }

  override allow(cost: Cost = 1): boolean {
    if (typeof cost !== "number") return super.allow(cost);
    checkCost(cost);
    readInto(this.#clock, this.#now);
    return this.#space.allowRef(this.#ref, cost, this.#now);
  }
}
