import { type Clock, readInto } from "../core/clock.ts";
import { type Cost, checkCost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { KeyRef } from "../core/key-ref.ts";
import type { SyncSpace } from "../core/store.ts";
import type { TimeCell } from "../core/time-cell.ts";
import type { Handle } from "./limiter.ts";
import type { Choice } from "./selection.ts";

/** The result of a verb over a synchronous or an asynchronous store. */
export type Result<Kind extends "sync" | "async", T> = Kind extends "sync" ? T : Promise<T>;

/** A limiter's verbs over keys and limits that are chosen already. */
export interface ChoiceVerbs<Kind extends "sync" | "async", Space> {
  allowChosen(choice: Choice<Space>, cost: Cost): Result<Kind, boolean>;
  consumeChosen(choice: Choice<Space>, cost: Cost): Result<Kind, Decision>;
  chargeChosen(choice: Choice<Space>, cost: Cost, decision: Decision | undefined): Result<Kind, Decision>;
  refundChosen(choice: Choice<Space>, cost: Cost, decision: Decision | undefined): Result<Kind, void>;
}

/** A handle for any choice of keys and limits. */
export class ChoiceHandle implements Handle {
  readonly #choice: Choice<SyncSpace>;
  readonly #verbs: ChoiceVerbs<"sync", SyncSpace>;

  constructor(choice: Choice<SyncSpace>, verbs: ChoiceVerbs<"sync", SyncSpace>) {
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
    verbs: ChoiceVerbs<"sync", SyncSpace>,
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
