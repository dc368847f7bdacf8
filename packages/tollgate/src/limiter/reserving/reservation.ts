/// <reference lib="esnext.disposable" preserve="true" />

import { checkOptions } from "../../core/check-options.ts";
import { type Clock, readUs } from "../../core/clock.ts";
import type { Cost } from "../../core/cost.ts";
import type { Decision } from "../../core/decision.ts";
import { type Duration, toMicroseconds } from "../../core/duration.ts";
import { mayHaveRun, TollgateError } from "../../core/errors.ts";
import { later, type Maybe, withFailure } from "../../core/maybe-async.ts";
import type { Kind, Result } from "../kinds.ts";
import { callMethod, forwardMethods, guardMethods } from "../methods.ts";
import type { WaitOptions } from "../waiting/wait-options.ts";
import type { CountedCall } from "./counted-call.ts";

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

/** The verbs of a reservation, over a store of either kind. */
interface ReservationVerbs<K extends Kind> {
  /** What the limiter decided on the estimate. After a denial nothing is reserved. */
  readonly decision: Decision;
  /**
   * Charges more while the work goes on, whether or not it conforms, and adds it to what is reserved.
   *
   * @throws TollgateError `ERR_COST`; `ERR_CLOSED` after `settle` or `cancel`.
   */
  charge(cost: Cost): Result<K, Decision>;
  /**
   * Makes the call count for its actual cost: gives the difference back, or charges it. Units that the cost does not
   * name keep what is reserved, and without a cost all do. The limits are those of the reservation, whatever limits a
   * function chooses by now. After a denial, it charges the actual cost. Places are freed, whatever the cost. Nothing
   * happens if the reservation was settled or cancelled before.
   *
   * Units are given back while they count, and never more than the reservation took: after `reset`, after the end of
   * their window, or in a full bucket, nothing is given back.
   *
   * @throws TollgateError `ERR_COST`, before anything changes.
   */
  settle(actualCost?: Cost): Result<K, void>;
  /**
   * Gives everything back, unless the reservation was settled or cancelled before. After its `ttl` the units stay taken
   * and the places are freed.
   */
  cancel(): Result<K, void>;
  /**
   * Begins the time to live of its places anew, and that of the reservation, if it has one.
   *
   * @returns whether it is open and holds all its places: one that had expired may be another call's by now.
   */
  renew(): Result<K, boolean>;
}

/** A cost that was taken by an estimate, and is settled when the actual cost is known. Made by `reserve`. */
export interface Reservation extends ReservationVerbs<"sync"> {
  /** Cancels. */
  [Symbol.dispose](): void;
}

/** A reservation over an asynchronous store: the verbs of `Reservation`, one after another. */
export interface AsyncReservation extends ReservationVerbs<"async"> {
  /** Cancels. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A reservation by the kind of its store. */
export type ReservationOf<K extends Kind> = K extends "sync" ? Reservation : AsyncReservation;

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

/** A reservation. Over a store in this process it corrects at once; elsewhere its verbs return promises. */
export class Reserved {
  readonly decision: Decision;
  readonly #counted: CountedCall;
  #term: Term | undefined;
  /** How it has ended. Set before the store is asked, because observers may call again. */
  #end: "settled" | "cancelled" | undefined = undefined;

  constructor(counted: CountedCall, term: Term | undefined) {
    this.decision = counted.decision;
    this.#counted = counted;
    this.#term = term;
  }

  static {
    guardMethods(Reserved.prototype, "reservation");
  }

  charge(cost: Cost): Maybe<Decision> {
    if (this.#end === undefined) return this.#counted.add(cost);
    throw new TollgateError("ERR_CLOSED", `charge: expected an open reservation, got one that was ${this.#end}`);
  }

  settle(actualCost?: Cost): Maybe<void> {
    if (this.#end !== undefined) return undefined;
    return this.#finish("settled", () =>
      actualCost === undefined ? this.#counted.free() : this.#counted.revise(actualCost, "freed"),
    );
  }

  cancel(): Maybe<void> {
    if (this.#end !== undefined) return undefined;
    if (this.#hasExpired) return this.#counted.free();
    return this.#finish("cancelled", () => this.#counted.cancel());
  }

  renew(): Maybe<boolean> {
    if (this.#end !== undefined || !this.decision.allowed || this.#hasExpired) return false;
    const term = this.#term;
    if (term !== undefined) this.#term = { ...term, untilUs: readUs(term.clock) + term.ttlUs };
    return this.#counted.renew();
  }

  [Symbol.dispose](): void {
    void this.cancel();
  }

  #finish(end: "settled" | "cancelled", work: () => Maybe<void>): Maybe<void> {
    this.#end = end;
    return withFailure(work, (error) => {
      // A cost that is wrong, or a store that was not asked, leaves it open.
      if (!mayHaveRun(error)) this.#end = undefined;
      throw error;
    });
  }

  get #hasExpired(): boolean {
    return this.#term !== undefined && readUs(this.#term.clock) >= this.#term.untilUs;
  }
}

/** A reservation over any store, for a caller that awaits: its verbs return promises. */
export class AwaitedReserved {
  readonly decision: Decision;
  readonly #reserved: Reserved;

  constructor(counted: CountedCall, term: Term | undefined) {
    this.#reserved = new Reserved(counted, term);
    this.decision = counted.decision;
  }

  static {
    const call = (self: AwaitedReserved, verb: string, args: readonly unknown[]) =>
      later(() => callMethod(self.#reserved, verb, args));
    forwardMethods(AwaitedReserved.prototype, Reserved.prototype, "reservation", call);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    return this.#reserved.cancel();
  }
}
