import type { Cost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { AsyncReservation, Reservation } from "./reservation.ts";

type Rename = (cost: Cost) => Cost;

/** A reservation under units of other names: `rename` translates the costs that callers give. */
export function renamedReservation(reserved: Reservation | AsyncReservation, rename: Rename): typeof reserved {
  return Symbol.dispose in reserved
    ? new RenamedReservation(reserved, rename)
    : new RenamedAsyncReservation(reserved, rename);
}

class RenamedReservation implements Reservation {
  readonly decision: Decision;
  readonly #reservation: Reservation;
  readonly #rename: Rename;

  constructor(reservation: Reservation, rename: Rename) {
    this.decision = reservation.decision;
    this.#reservation = reservation;
    this.#rename = rename;
  }

  charge(cost: Cost): Decision {
    return this.#reservation.charge(this.#rename(cost));
  }

  settle(actualCost: Cost = {}): void {
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

class RenamedAsyncReservation implements AsyncReservation {
  readonly decision: Decision;
  readonly #reservation: AsyncReservation;
  readonly #rename: Rename;

  constructor(reservation: AsyncReservation, rename: Rename) {
    this.decision = reservation.decision;
    this.#reservation = reservation;
    this.#rename = rename;
  }

  async charge(cost: Cost): Promise<Decision> {
    return this.#reservation.charge(this.#rename(cost));
  }

  async settle(actualCost: Cost = {}): Promise<void> {
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
