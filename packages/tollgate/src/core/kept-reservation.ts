import type { Cost } from "./cost.ts";

/**
 * A reservation that a store keeps, opened by its id. Any process with the store settles it, and exactly one ends it. A
 * verb that rejects with `ERR_STORE` may be called again: nothing is corrected twice.
 */
export interface KeptReservation {
  readonly id: string;
  /**
   * Charges more, and adds it to what is reserved.
   *
   * @returns whether it conformed; `false` if the reservation is over, and nothing was charged.
   * @throws TollgateError `ERR_COST`, before anything changes; `ERR_STORE`.
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
