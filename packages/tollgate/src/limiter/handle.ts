import { type Clock, readInto } from "../core/clock.ts";
import { type Cost, checkCost } from "../core/cost.ts";
import type { Decision, LimitStatus } from "../core/decision.ts";
import type { KeyRef } from "../core/key-ref.ts";
import type { SyncSpace } from "../core/store.ts";
import type { TimeCell } from "../core/time-cell.ts";
import type { BlockOptions, BlockSpan } from "./block-span.ts";
import type { Choice } from "./choice.ts";
import type { AcquireOptions, AsyncReservation, ReservationOf, ReserveOptions } from "./reservation.ts";
import type { PlannedSpace } from "./space-list.ts";
import type { WaitOptions } from "./wait-options.ts";

/** The result of a verb over a synchronous or an asynchronous store. */
export type Result<Kind extends "sync" | "async", T> = Kind extends "sync" ? T : Promise<T>;

/** The verbs that block a key. */
export interface BlockVerbs<Kind extends "sync" | "async"> {
  block(span: BlockSpan, options: BlockOptions | undefined): Result<Kind, void>;
  unblock(): Result<Kind, boolean>;
  blockedUntil(): Result<Kind, number | undefined>;
}

/** A limiter's verbs over keys and limits that are chosen already. */
export interface ChoiceVerbs<Kind extends "sync" | "async", Space extends PlannedSpace> {
  allowChosen(choice: Choice<Space>, cost: Cost): Result<Kind, boolean>;
  consumeChosen(choice: Choice<Space>, cost: Cost): Result<Kind, Decision>;
  peekChosen(choice: Choice<Space>, cost: Cost): Result<Kind, Decision>;
  explainChosen(choice: Choice<Space>, cost: Cost): Result<Kind, LimitStatus[]>;
  chargeChosen(choice: Choice<Space>, cost: Cost, decision: Decision | undefined): Result<Kind, Decision>;
  refundChosen(choice: Choice<Space>, cost: Cost, decision: Decision | undefined): Result<Kind, void>;
  waitChosen(choice: Choice<Space>, cost: Cost, options: WaitOptions | undefined): Promise<Decision>;
  acquireChosen(choice: Choice<Space>, cost: Cost, options: AcquireOptions | undefined): Promise<AsyncReservation>;
  reserveChosen(
    choice: Choice<Space>,
    cost: Cost,
    options: ReserveOptions | undefined,
  ): Result<Kind, ReservationOf<Kind>>;
  consumeOrReserveChosen(choice: Choice<Space>, cost: Cost): Result<Kind, Decision | ReservationOf<Kind>>;
  resetChosen(choice: Choice<Space>): Result<Kind, void>;
  blockVerbs(findKeys: () => readonly string[]): BlockVerbs<Kind>;
}

/** A handle for any choice of keys and limits. */
export class ChoiceHandle<Kind extends "sync" | "async", Space extends PlannedSpace> {
  readonly #choice: Choice<Space>;
  readonly #verbs: ChoiceVerbs<Kind, Space>;

  constructor(choice: Choice<Space>, verbs: ChoiceVerbs<Kind, Space>) {
    this.#choice = choice;
    this.#verbs = verbs;
  }

  allow(cost: Cost = 1): Result<Kind, boolean> {
    return this.#verbs.allowChosen(this.#choice, cost);
  }

  consume(cost: Cost = 1): Result<Kind, Decision> {
    return this.#verbs.consumeChosen(this.#choice, cost);
  }

  peek(cost: Cost = 1): Result<Kind, Decision> {
    return this.#verbs.peekChosen(this.#choice, cost);
  }

  explain(cost: Cost = 1): Result<Kind, LimitStatus[]> {
    return this.#verbs.explainChosen(this.#choice, cost);
  }

  charge(cost: Cost, decision?: Decision): Result<Kind, Decision> {
    return this.#verbs.chargeChosen(this.#choice, cost, decision);
  }

  refund(cost: Cost, decision?: Decision): Result<Kind, void> {
    return this.#verbs.refundChosen(this.#choice, cost, decision);
  }

  wait(cost: Cost = 1, options?: WaitOptions): Promise<Decision> {
    return this.#verbs.waitChosen(this.#choice, cost, options);
  }

  acquire(cost: Cost = 1, options?: AcquireOptions): Promise<AsyncReservation> {
    return this.#verbs.acquireChosen(this.#choice, cost, options);
  }

  reserve(cost: Cost = 1, options?: ReserveOptions): Result<Kind, ReservationOf<Kind>> {
    return this.#verbs.reserveChosen(this.#choice, cost, options);
  }

  consumeOrReserve(cost: Cost): Result<Kind, Decision | ReservationOf<Kind>> {
    return this.#verbs.consumeOrReserveChosen(this.#choice, cost);
  }

  reset(): Result<Kind, void> {
    return this.#verbs.resetChosen(this.#choice);
  }

  block(span: BlockSpan, options?: BlockOptions): Result<Kind, void> {
    return this.#blockVerbs.block(span, options);
  }

  unblock(): Result<Kind, boolean> {
    return this.#blockVerbs.unblock();
  }

  blockedUntil(): Result<Kind, number | undefined> {
    return this.#blockVerbs.blockedUntil();
  }

  get #blockVerbs(): BlockVerbs<Kind> {
    return this.#verbs.blockVerbs(() => this.#choice.keys);
  }
}

/** A space that has key references. */
export type RefSpace = Required<Pick<SyncSpace, "allowRef">>;

export function hasKeyRefs(space: SyncSpace): space is SyncSpace & RefSpace {
  return space.allowRef !== undefined;
}

/** The way to the store for all handles of a limiter. */
export interface Shortcut {
  /** `undefined` while calls wait. */
  space: RefSpace | undefined;
}

/** A handle whose `allow` asks the space directly, by a key reference. */
export class KeyRefHandle extends ChoiceHandle<"sync", SyncSpace> {
  readonly #shortcut: Shortcut;
  readonly #ref: KeyRef;
  readonly #clock: Clock;
  /** The limiter's time cell. */
  readonly #now: TimeCell;
  /** Not 0 while a key of the store may be blocked. */
  readonly #someBlocks: Int32Array;

  constructor(
    shortcut: Shortcut,
    ref: KeyRef,
    clock: Clock,
    now: TimeCell,
    someBlocks: Int32Array,
    choice: Choice<SyncSpace>,
    verbs: ChoiceVerbs<"sync", SyncSpace>,
  ) {
    super(choice, verbs);
    this.#shortcut = shortcut;
    this.#ref = ref;
    this.#clock = clock;
    this.#now = now;
    this.#someBlocks = someBlocks;
  }

  override allow(cost: Cost = 1): boolean {
    const { space } = this.#shortcut;
    if (space === undefined || typeof cost !== "number" || this.#someBlocks[0] !== 0) return super.allow(cost);
    checkCost(cost);
    readInto(this.#clock, this.#now);
    return space.allowRef(this.#ref, cost, this.#now);
  }
}
