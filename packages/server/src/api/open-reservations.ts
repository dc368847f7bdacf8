import { randomBytes } from "node:crypto";
import type { AsyncReservation, Clock, Reservation } from "tollgate";
import type { Peers } from "../limits/peers.ts";

type AnyReservation = Reservation | AsyncReservation;

export interface OpenReservation {
  readonly reservation: AnyReservation;
  /** Those that its domain counted when it was made. */
  readonly units: ReadonlySet<string>;
  readonly expiresAtMs: number;
}

/** How many reservations may be open. A service that makes more than its clients settle refuses new ones. */
const MOST_OPEN = 100_000;
/** After this time a reservation counts as settled at its estimate: its client has gone. */
const RESERVATION_TTL_MS = 600_000;

/** Reservations of clients between `reserve` and `settle`, by ids that cannot be guessed. */
export class OpenReservations {
  readonly #clock: Clock;
  readonly #peers: Peers | undefined;
  /** In the order in which they expire, because all live equally long. */
  readonly #open = new Map<string, OpenReservation>();

  /** With peers, the id of a reservation says which process has it. */
  constructor(clock: Clock, peers?: Peers) {
    this.#clock = clock;
    this.#peers = peers;
  }

  /** The other process that has a reservation, if another one has. */
  ownerOf(id: string): { readonly ask: (question: unknown) => Promise<unknown> } | undefined {
    const name = id.slice(0, Math.max(0, id.indexOf(".")));
    const peers = this.#peers;
    if (peers === undefined || name === peers.own || !peers.names.has(name)) return undefined;
    return { ask: (question) => peers.ask(name, question) };
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
  add(reservation: AnyReservation, units: ReadonlySet<string>): string {
    const random = randomBytes(16).toString("base64url");
    const id = this.#peers === undefined ? random : `${this.#peers.own}.${random}`;
    this.#open.set(id, { reservation, units, expiresAtMs: this.#clock.now() + RESERVATION_TTL_MS });
    return id;
  }

  /** Takes a reservation out. `undefined` if it was taken before, or has expired. */
  take(id: string): OpenReservation | undefined {
    this.#forgetExpired();
    const open = this.#open.get(id);
    this.#open.delete(id);
    return open === undefined || this.#isExpired(open) ? undefined : open;
  }

  /** Puts back what was taken out. It expires when it would have, but counts until those before it have expired. */
  putBack(id: string, open: OpenReservation): void {
    this.#open.set(id, open);
  }

  #isExpired({ expiresAtMs }: OpenReservation): boolean {
    return expiresAtMs <= this.#clock.now();
  }

  #forgetExpired(): void {
    for (const [id, open] of this.#open) {
      if (!this.#isExpired(open)) return;
      this.#open.delete(id);
    }
  }
}
