import { randomBytes } from "node:crypto";
import type { AsyncReservation, Clock, Reservation } from "tollgate";

type AnyReservation = Reservation | AsyncReservation;

interface Open {
  readonly reservation: AnyReservation;
  readonly expiresAtMs: number;
}

/** How many reservations may be open. A service that makes more than its clients settle refuses new ones. */
const MOST_OPEN = 100_000;
/** After this time a reservation counts as settled at its estimate: its client has gone. */
const RESERVATION_TTL_MS = 600_000;

/** Reservations of clients between `reserve` and `settle`, by ids that cannot be guessed. */
export class OpenReservations {
  readonly #clock: Clock;
  /** In the order in which they expire, because all live equally long. */
  readonly #open = new Map<string, Open>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Whether one more fits. */
  get hasCapacity(): boolean {
    this.#forgetExpired();
    return this.#open.size < MOST_OPEN;
  }

  /** @returns its id. */
  add(reservation: AnyReservation): string {
    const id = randomBytes(16).toString("base64url");
    this.#open.set(id, { reservation, expiresAtMs: this.#clock.now() + RESERVATION_TTL_MS });
    return id;
  }

  /** Takes a reservation out. `undefined` if it was taken before, or has expired. */
  take(id: string): AnyReservation | undefined {
    this.#forgetExpired();
    const open = this.#open.get(id);
    this.#open.delete(id);
    return open?.reservation;
  }

  #forgetExpired(): void {
    const nowMs = this.#clock.now();
    for (const [id, { expiresAtMs }] of this.#open) {
      if (expiresAtMs > nowMs) return;
      this.#open.delete(id);
    }
  }
}
