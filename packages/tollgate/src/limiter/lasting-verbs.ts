import type { Clock } from "../core/clock.ts";
import { type Cost, copyCost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { BlockOptions, BlockSpan } from "./block-span.ts";
import { choiceFor } from "./call.ts";
import type { Choice } from "./choice.ts";
import type { BlockVerbs, Result } from "./handle.ts";
import { OutgoingWork } from "./outgoing-work.ts";
import { promised } from "./promised.ts";
import {
  type AcquireOptions,
  type AsyncReservation,
  type ReservationOf,
  type ReserveOptions,
  splitOptions,
  type Term,
  termOf,
} from "./reservation.ts";
import type { Selection } from "./selection.ts";
import type { PlannedSpace } from "./space-list.ts";
import type { WaitOptions } from "./wait-options.ts";
import type { Waiting } from "./waiting.ts";

/** The verbs that last: a call waits, a reservation is open, a key is blocked. */
export abstract class LastingVerbs<
  Kind extends "sync" | "async",
  Input,
  Space extends PlannedSpace,
> extends OutgoingWork<Input> {
  abstract readonly clock: Clock;
  abstract readonly selection: Selection<Input, Space>;
  protected abstract readonly waiting: Waiting<Space>;

  /** The verbs that block keys. `findKeys` finds one for each limiter. */
  abstract blockVerbs(findKeys: () => readonly string[]): BlockVerbs<Kind>;
  abstract consumeChosen(choice: Choice<Space>, cost: Cost): Result<Kind, Decision>;

  /** Takes an estimate, under keys and limits that are chosen once. */
  protected abstract reserveIn(
    choose: () => Choice<Space>,
    cost: Cost,
    options: ReserveOptions | undefined,
  ): Result<Kind, ReservationOf<Kind>>;

  /** The reservation of what a call took that has waited. */
  protected abstract acquired(
    choice: Choice<Space>,
    cost: Cost,
    decision: Decision,
    term: Term | undefined,
  ): AsyncReservation;

  wait(input: Input, cost: Cost = 1, options?: WaitOptions): Promise<Decision> {
    return promised(() => this.waiting.wait(input, cost, options));
  }

  waitChosen(choice: Choice<Space>, cost: Cost, options: WaitOptions | undefined): Promise<Decision> {
    return promised(() => this.waiting.waitChosen("wait", choice, cost, options));
  }

  reserve(input: Input, cost: Cost = 1, options?: ReserveOptions): Result<Kind, ReservationOf<Kind>> {
    return this.reserveIn(() => choiceFor(this.selection, input), cost, options);
  }

  reserveChosen(
    choice: Choice<Space>,
    cost: Cost,
    options: ReserveOptions | undefined,
  ): Result<Kind, ReservationOf<Kind>> {
    return this.reserveIn(() => choice, cost, options);
  }

  override acquire(input: Input, cost: Cost = 1, options?: AcquireOptions): Promise<AsyncReservation> {
    return this.acquireIn(() => choiceFor(this.selection, input), cost, options);
  }

  acquireChosen(choice: Choice<Space>, cost: Cost, options: AcquireOptions | undefined): Promise<AsyncReservation> {
    return this.acquireIn(() => choice, cost, options);
  }

  consumeOrReserve(input: Input, cost: Cost = 1): Result<Kind, Decision | ReservationOf<Kind>> {
    return this.consumeOrReserveChosen(choiceFor(this.selection, input), cost);
  }

  consumeOrReserveChosen(choice: Choice<Space>, cost: Cost): Result<Kind, Decision | ReservationOf<Kind>> {
    const { takesPlaces } = this.selection.listOf(choice);
    return takesPlaces ? this.reserveChosen(choice, cost, undefined) : this.consumeChosen(choice, cost);
  }

  block(input: Input, span: BlockSpan, options?: BlockOptions): Result<Kind, void> {
    return this.#blockVerbsOf(input).block(span, options);
  }

  unblock(input: Input): Result<Kind, boolean> {
    return this.#blockVerbsOf(input).unblock();
  }

  blockedUntil(input: Input): Result<Kind, number | undefined> {
    return this.#blockVerbsOf(input).blockedUntil();
  }

  #blockVerbsOf(input: Input): BlockVerbs<Kind> {
    return this.blockVerbs(() => choiceFor(this.selection, input).keys);
  }

  /** Waits, and then reserves: the time of the reservation begins when the wait has ended. */
  protected async acquireIn(
    choose: () => Choice<Space>,
    cost: Cost,
    options: AcquireOptions | undefined,
  ): Promise<AsyncReservation> {
    const { wait, reserve } = splitOptions(options);
    const own = copyCost(cost);
    const choice = choose();
    const decision = await this.waiting.waitChosen("acquire", choice, own, wait);
    return this.acquired(choice, own, decision, termOf(this.clock, reserve));
  }
}
