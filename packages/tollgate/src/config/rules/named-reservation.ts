import type { Cost } from "../../core/cost.ts";
import type { Decision } from "../../core/decision.ts";
import type { AsyncReservation, Reservation } from "../../limiter/reservation.ts";

/** A reservation under units of other names: `rename` translates costs. */
export class NamedReservation implements Reservation {
  readonly #reservation: Reservation;
  readonly #rename: (cost: Cost) => Cost;

  constructor(reservation: Reservation, rename: (cost: Cost) => Cost) {
    this.#reservation = reservation;
    this.#rename = rename;
  }

  get decision(): Decision {
    return this.#reservation.decision;
  }

  charge(cost: Cost): Decision {
    return this.#reservation.charge(this.#rename(cost));
  }

  settle(actualCost: Cost): void {
    this.#reservation.settle(this.#rename(actualCost));
  }

  cancel(): void {
    this.#reservation.cancel();
  }

  renew(): boolean {
    return this.#reservation.renew();
  }

  [Symbol.dispose](): void {
    this.cancel();
  }
}

/** The same over an asynchronous store. */
export class NamedAsyncReservation implements AsyncReservation {
  readonly #reservation: AsyncReservation;
  readonly #rename: (cost: Cost) => Cost;

  constructor(reservation: AsyncReservation, rename: (cost: Cost) => Cost) {
    this.#reservation = reservation;
    this.#rename = rename;
  }

  get decision(): Decision {
    return this.#reservation.decision;
  }

  async charge(cost: Cost): Promise<Decision> {
    return this.#reservation.charge(this.#rename(cost));
  }

  async settle(actualCost: Cost): Promise<void> {
    await this.#reservation.settle(this.#rename(actualCost));
  }

  async cancel(): Promise<void> {
    await this.#reservation.cancel();
  }

  async renew(): Promise<boolean> {
    return this.#reservation.renew();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cancel();
  }
}
