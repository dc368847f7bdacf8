import type { Cost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { BlockOptions, BlockSpan } from "../limiter/block-span.ts";
import type { Result } from "../limiter/handle.ts";
import type { AsyncReservation, Reservation, ReservationOf, ReserveOptions } from "../limiter/reservation.ts";
import type { LimitsHandle } from "./limits.ts";
import type { RuleSet } from "./rules/domain-rules.ts";
import type { Request } from "./rules/request.ts";
import type { HandleVerbs } from "./rules/rule-limiter.ts";

/** A request with its rules, in the version of the file in which they were found. */
export class RequestHandle<Kind extends "sync" | "async"> implements LimitsHandle<Kind> {
  readonly #set: RuleSet<Kind>;
  readonly #request: Request;
  readonly #handle: HandleVerbs<Kind>;

  constructor(set: RuleSet<Kind>, request: Request) {
    this.#set = set;
    this.#request = request;
    this.#handle = set.limiter.handle(request);
  }

  get rules(): readonly string[] {
    return this.#set.rules.map(({ name }) => name);
  }

  consume(cost?: Cost): Result<Kind, Decision> {
    return this.#handle.consume(this.#costOf(cost));
  }

  peek(cost?: Cost): Result<Kind, Decision> {
    return this.#handle.peek(this.#costOf(cost));
  }

  charge(cost: Cost, decision?: Decision): Result<Kind, Decision> {
    return this.#handle.charge(this.#set.cost.given(cost), decision);
  }

  refund(cost: Cost, decision?: Decision): Result<Kind, void> {
    return this.#handle.refund(this.#set.cost.given(cost), decision);
  }

  reserve(cost?: Cost, options?: ReserveOptions): Result<Kind, ReservationOf<Kind>> {
    const reserved = this.#handle.reserve(this.#costOf(cost), options);
    // A promise stays a promise.
    return this.#set.cost.named(reserved as Reservation | Promise<AsyncReservation>) as typeof reserved;
  }

  block(span: BlockSpan, options?: BlockOptions): Result<Kind, void> {
    // All requests that no rule counts have one key. A client's block must not be theirs.
    return this.#set.rules.length === 0 ? this.#handle.reset() : this.#handle.block(span, options);
  }

  unblock(): Result<Kind, boolean> {
    return this.#handle.unblock();
  }

  reset(): Result<Kind, void> {
    return this.#handle.reset();
  }

  #costOf(given: Cost | undefined): Cost {
    return this.#set.cost.of(this.#request, given);
  }
}
