/// <reference lib="esnext.disposable" preserve="true" />

import { checkOptions } from "../core/check-options.ts";
import { type Clock, readUs } from "../core/clock.ts";
import type { Cost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import { type Duration, toMicroseconds } from "../core/duration.ts";
import { TollgateError } from "../core/errors.ts";
import { allDone } from "../core/maybe-async.ts";
import { type Corrections, CountedCost } from "./counted-cost.ts";
import type { HeldPlaces } from "./held-places.ts";
import type { WaitOptions } from "./wait-options.ts";

const NAMES = { ttl: true } as const;

/** How long a reservation stays open. */
export interface ReserveOptions {
  /** After this time a reservation that was neither settled nor cancelled counts as settled at its estimate. */
  readonly ttl?: Duration | undefined;
}

/** How long `acquire` waits, and how long its reservation stays open after that. */
export interface AcquireOptions extends WaitOptions, ReserveOptions {}

/** The options of `acquire`, which waits and then reserves. @throws TollgateError `ERR_OPTION` or `ERR_DURATION`. */
export function splitOptions(options: AcquireOptions | undefined): {
  readonly wait: WaitOptions | undefined;
  readonly reserve: ReserveOptions | undefined;
} {
  if (options === undefined) return { wait: undefined, reserve: undefined };
  checkOptions("acquire", options, { ...NAMES, signal: true, maxWait: true });
  const { ttl, ...wait } = options;
  if (ttl !== undefined) toMicroseconds("ttl", ttl);
  return { wait, reserve: { ttl } };
}

/** A cost that was taken by an estimate, and is settled when the actual cost is known. Made by `reserve`. */
export interface Reservation {
  /** What the limiter decided on the estimate. After a denial nothing is reserved. */
  readonly decision: Decision;
  /**
   * Charges more while the work goes on, whether or not it conforms, and adds it to what is reserved.
   *
   * @throws TollgateError `ERR_COST`; `ERR_CLOSED` after `settle` or `cancel`.
   */
  charge(cost: Cost): Decision;
  /**
   * Makes the call count for its actual cost: gives the difference back, or charges it. Units that the cost does not
   * name keep what is reserved; without a cost, all do. The limits are those of the reservation, whatever limits a
   * function chooses by now. After a denial, it charges the actual cost. Places are freed, whatever the cost. Nothing
   * happens if the reservation was settled or cancelled before.
   *
   * @throws TollgateError `ERR_COST`, before anything changes.
   */
  settle(actualCost?: Cost): void;
  /**
   * Gives everything back, unless the reservation was settled or cancelled before. After its `ttl` the units stay taken
   * and the places are freed.
   */
  cancel(): void;
  /**
   * Begins the time to live of its places anew, and that of the reservation, if it has one.
   *
   * @returns whether it is open and holds all its places: one that had expired may be another call's by now.
   */
  renew(): boolean;
  /** Cancels. */
  [Symbol.dispose](): void;
}

/** A reservation over an asynchronous store: the verbs of `Reservation`, one after another. */
export interface AsyncReservation {
  readonly decision: Decision;
  charge(cost: Cost): Promise<Decision>;
  settle(actualCost?: Cost): Promise<void>;
  cancel(): Promise<void>;
  renew(): Promise<boolean>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A reservation by the kind of its store. */
export type ReservationOf<Kind extends "sync" | "async"> = Kind extends "sync" ? Reservation : AsyncReservation;

/** When a reservation counts as settled. */
export interface Term {
  readonly clock: Clock;
  readonly ttlUs: number;
  readonly untilUs: number;
}

/** Checks the options of a reservation that begins now. @throws TollgateError `ERR_OPTION` or `ERR_DURATION`. */
export function termOf(clock: Clock, options: ReserveOptions | undefined): Term | undefined {
  if (options === undefined) return undefined;
  checkOptions("reserve", options, NAMES);
  if (options.ttl === undefined) return undefined;
  const ttlUs = toMicroseconds("ttl", options.ttl);
  return { clock, ttlUs, untilUs: readUs(clock) + ttlUs };
}

/** What both kinds of reservations have in common. */
class Reserved {
  readonly decision: Decision;
  readonly #counted: CountedCost;
  readonly #places: HeldPlaces | undefined;
  #term: Term | undefined;
  /** How it has ended. */
  #end: "settled" | "cancelled" | undefined = undefined;

  constructor(
    handle: Corrections,
    cost: Cost,
    decision: Decision,
    term: Term | undefined,
    places: HeldPlaces | undefined,
  ) {
    this.decision = decision;
    this.#counted = new CountedCost({ handle, taken: decision.allowed ? cost : 0, decision });
    this.#term = term;
    this.#places = places;
  }

  protected add(cost: Cost): Decision | Promise<Decision> {
    if (this.#end === undefined) return this.#counted.add(cost);
    throw new TollgateError("ERR_CLOSED", `charge: expected an open reservation, got one that was ${this.#end}`);
  }

  protected countActual(cost: Cost): void | Promise<void> {
    if (this.#end !== undefined) return undefined;
    // A bad cost throws here, and the reservation stays open.
    const settled = this.#counted.revise(cost);
    this.#end = "settled";
    return this.#freeAfter(settled);
  }

  protected giveBack(): void | Promise<void> {
    if (this.#end !== undefined) return undefined;
    if (this.#hasExpired) return this.#places?.free();
    this.#end = "cancelled";
    return this.#freeAfter(this.#counted.cancel());
  }

  protected keep(): boolean | Promise<boolean> {
    if (this.#end !== undefined || !this.decision.allowed || this.#hasExpired) return false;
    const term = this.#term;
    if (term !== undefined) this.#term = { ...term, untilUs: readUs(term.clock) + term.ttlUs };
    return this.#places?.renew() ?? true;
  }

  /** Frees the places without waiting for a correction, which may fail. */
  #freeAfter(corrected: void | Promise<void>): void | Promise<void> {
    return this.#places === undefined ? corrected : allDone([corrected, this.#places.free()]);
  }

  get #hasExpired(): boolean {
    return this.#term !== undefined && readUs(this.#term.clock) >= this.#term.untilUs;
  }
}

/** A reservation over stores in this process, which correct at once. */
export class SyncReserved extends Reserved implements Reservation {
  charge(cost: Cost): Decision {
    return this.add(cost) as Decision;
  }

  settle(actualCost: Cost = {}): void {
    void this.countActual(actualCost);
  }

  cancel(): void {
    void this.giveBack();
  }

  renew(): boolean {
    return this.keep() as boolean;
  }

  [Symbol.dispose](): void {
    this.cancel();
  }
}

/** A reservation over any store. */
export class AsyncReserved extends Reserved implements AsyncReservation {
  async charge(cost: Cost): Promise<Decision> {
    return this.add(cost);
  }

  async settle(actualCost: Cost = {}): Promise<void> {
    await this.countActual(actualCost);
  }

  async cancel(): Promise<void> {
    await this.giveBack();
  }

  async renew(): Promise<boolean> {
    return this.keep();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cancel();
  }
}

/** A reservation over stores in this process, for a caller that awaits. */
export class AwaitedReserved implements AsyncReservation {
  readonly decision: Decision;
  readonly #reservation: Reservation;

  constructor(reservation: Reservation) {
    this.decision = reservation.decision;
    this.#reservation = reservation;
  }

  async charge(cost: Cost): Promise<Decision> {
    return this.#reservation.charge(cost);
  }

  async settle(actualCost: Cost = {}): Promise<void> {
    this.#reservation.settle(actualCost);
  }

  async cancel(): Promise<void> {
    this.#reservation.cancel();
  }

  async renew(): Promise<boolean> {
    return this.#reservation.renew();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#reservation.cancel();
  }
}
