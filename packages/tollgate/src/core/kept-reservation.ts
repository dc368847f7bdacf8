import type { Cost } from "./cost.ts";

/**
 * A reservation that a store keeps, opened by its id. Any process with the store settles it, and exactly one ends it.
 * `settle`, `cancel` and `renew` may be called again after `ERR_STORE`: nothing is corrected twice. A charge may have
 * counted.
 */
export interface KeptReservation {
  readonly id: string;
  /**
   * Charges more, and adds it to what is reserved.
   *
   * @returns whether it conformed.
   * @throws TollgateError `ERR_COST`, or `ERR_CLOSED` if the reservation is over, before anything changes; `ERR_STORE`.
   */
  charge(cost: Cost): Promise<boolean>;
  /**
   * Makes the call count for its actual cost, as `settle` of a reservation does, and frees its places.
   *
   * @returns whether the reservation was open. If it was not, nothing happens.
   * @throws TollgateError `ERR_COST`, before anything changes; `ERR_STORE`.
   */
  settle(actualCost?: Cost): Promise<boolean>;
  /** Gives everything back. @returns whether the reservation was open. @throws TollgateError `ERR_STORE`. */
  cancel(): Promise<boolean>;
  /**
   * Begins its time anew, and that of its places.
   *
   * @returns whether it is open and holds all its places.
   * @throws TollgateError `ERR_STORE`.
   */
  renew(): Promise<boolean>;
}
