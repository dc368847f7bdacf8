import type { Cost } from "../core/cost.ts";
import type { Decision, LimitStatus } from "../core/decision.ts";
import { mapMaybeAsync } from "../core/maybe-async.ts";
import type { BlockOptions, BlockSpan } from "./block-span.ts";
import type { PricedHandle, Taken } from "./for-adapters.ts";
import type { Result } from "./handle.ts";
import { promised } from "./promised.ts";
import { renamedReservation } from "./renamed-reservation.ts";
import type { AcquireOptions, AsyncReservation, Reservation, ReservationOf, ReserveOptions } from "./reservation.ts";
import type { HandleVerbs, Route, RouteCost } from "./router.ts";
import type { WaitOptions } from "./wait-options.ts";

type Kinds = "sync" | "async";

/** A handle of the limiter that was chosen for an input. It stays with that limiter. */
export class RoutedHandle<Kind extends Kinds, Found> implements HandleVerbs<Kind>, PricedHandle {
  readonly #kind: Kinds;
  readonly #cost: RouteCost<Found>;
  readonly #found: Found;
  readonly #handle: HandleVerbs<Kind>;

  constructor({ limiter, cost }: Route<Kind, Found>, found: Found) {
    this.#kind = limiter.kind;
    this.#cost = cost;
    this.#found = found;
    this.#handle = limiter.handle(found);
  }

  /** What a call costs, in part given by the caller. @throws TollgateError `ERR_COST`. */
  costOf(given?: Cost): Cost {
    return this.#cost.of(this.#found, given);
  }

  /** A cost of a correction in the units that are counted. @throws TollgateError `ERR_COST`. */
  givenCost(cost: Cost): Cost {
    return this.#cost.given(cost);
  }

  allow(cost?: Cost): Result<Kind, boolean> {
    return this.#call(() => this.#handle.allow(this.costOf(cost)));
  }

  consume(cost?: Cost): Result<Kind, Decision> {
    return this.#call(() => this.#handle.consume(this.costOf(cost)));
  }

  peek(cost?: Cost): Result<Kind, Decision> {
    return this.#call(() => this.#handle.peek(this.costOf(cost)));
  }

  explain(cost?: Cost): Result<Kind, LimitStatus[]> {
    return this.#call(() => this.#handle.explain(this.costOf(cost)));
  }

  charge(cost: Cost, decision?: Decision): Result<Kind, Decision> {
    return this.#call(() => this.#handle.charge(this.#cost.given(cost), decision));
  }

  refund(cost: Cost, decision?: Decision): Result<Kind, void> {
    return this.#call(() => this.#handle.refund(this.#cost.given(cost), decision));
  }

  wait(cost?: Cost, options?: WaitOptions): Promise<Decision> {
    return promised(() => this.#handle.wait(this.costOf(cost), options));
  }

  async acquire(cost?: Cost, options?: AcquireOptions): Promise<AsyncReservation> {
    const reservation = await this.#handle.acquire(this.costOf(cost), options);
    return this.#renamed(reservation) as AsyncReservation;
  }

  reserve(cost?: Cost, options?: ReserveOptions): Result<Kind, ReservationOf<Kind>> {
    return this.#call(() => {
      const reserved = this.#handle.reserve(this.costOf(cost), options) as MaybeReserved;
      return mapMaybeAsync<Reservation | AsyncReservation, unknown>(reserved, (known) =>
        this.#renamed(known),
      ) as Result<Kind, ReservationOf<Kind>>;
    });
  }

  consumeOrReserve(cost?: Cost): Result<Kind, Decision | ReservationOf<Kind>> {
    return this.#call(() => takenBy(this.#cost, this.#handle.consumeOrReserve(this.costOf(cost))));
  }

  reset(): Result<Kind, void> {
    return this.#handle.reset();
  }

  block(span: BlockSpan, options?: BlockOptions): Result<Kind, void> {
    return this.#handle.block(span, options);
  }

  unblock(): Result<Kind, boolean> {
    return this.#handle.unblock();
  }

  blockedUntil(): Result<Kind, number | undefined> {
    return this.#handle.blockedUntil();
  }

  #renamed(reserved: Reservation | AsyncReservation): Reservation | AsyncReservation {
    return this.#cost.renames ? renamedReservation(reserved, (cost) => this.#cost.given(cost)) : reserved;
  }

  /** Over an asynchronous store, a cost that is wrong rejects. */
  #call<T>(work: () => Result<Kind, T>): Result<Kind, T> {
    return this.#kind === "sync" ? work() : (promised(work as () => Promise<T>) as Result<Kind, T>);
  }
}

type MaybeReserved = Reservation | Promise<AsyncReservation>;

/** What a call took, with the units of its caller. */
export function takenBy<Kind extends Kinds, Found>(
  cost: RouteCost<Found>,
  taken: Result<Kind, Decision | ReservationOf<Kind>>,
): Result<Kind, Decision | ReservationOf<Kind>> {
  if (!cost.renames) return taken;
  const renamed = mapMaybeAsync<Taken, Taken>(taken, (known) =>
    "decision" in known ? renamedReservation(known, (given) => cost.given(given)) : known,
  );
  return renamed as Result<Kind, Decision | ReservationOf<Kind>>;
}
