import type { Cost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { AsyncReservation, Reservation } from "./reservation.ts";

/** What a call gets that may take places: a reservation if a limit counts places, otherwise the decision alone. */
export type Taken = Decision | Reservation | AsyncReservation;

/** How adapters ask a limiter whose limits may count places. A limiter of an older copy of this package has none. */
export interface TakingPlaces<Input> {
  /** Whether a call may take places. If a function chooses the limits, that is known when it has chosen. */
  readonly mayTakePlaces: boolean;
  /** Works like `consume`; if a limit of the call counts places, like `reserve`. */
  consumeOrReserve(input: Input, cost?: Cost): Taken | Promise<Taken>;
}

/** The same verb of a handle. */
export interface HandleTakingPlaces {
  consumeOrReserve(cost?: Cost): Taken | Promise<Taken>;
}

/** A handle of a limiter that finds what calls cost, and may count units under other names. */
export interface PricedHandle extends HandleTakingPlaces {
  /** What a call costs in the units that are counted, in part given by its caller. Throws `ERR_COST`. */
  costOf(given?: Cost): Cost;
  /** A cost of a correction in the units that are counted. @throws TollgateError `ERR_COST`. */
  givenCost(cost: Cost): Cost;
}
