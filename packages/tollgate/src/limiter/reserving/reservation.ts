/// <reference lib="esnext.disposable" preserve="true" />

import { checkOptions } from "../../core/check-options.ts";
import { type Clock, readUs } from "../../core/clock.ts";
import type { Cost } from "../../core/cost.ts";
import type { Decision } from "../../core/decision.ts";
import { type Duration, toMicroseconds } from "../../core/duration.ts";
import { mayHaveRun, TollgateError } from "../../core/errors.ts";
import { later, type Maybe, withFailure } from "../../core/maybe-async.ts";
import type { ReservationKeeper } from "../../core/store.ts";
import type { Kind, Result } from "../kinds.ts";
import { callMethod, detachedError, forwardMethods, guardMethods } from "../methods.ts";
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
  /**
   * Hands the reservation over to its store, for so long. Any process opens it by the id, with `store.reservation(id)`:
   * here it is over. Then it counts as settled at what is reserved. Only `redisStore` keeps reservations. Beside a
   * window by the calendar the time is at most its length, and is not renewed.
   *
   * @returns an id of 28 characters of `A-Z a-z 0-9 _ -`, which cannot be guessed.
   * @throws TollgateError `ERR_DURATION`; `ERR_CLOSED` if nothing is reserved, or nothing any more; `ERR_STORE` if the
   *   store is unavailable, was so when it reserved, or keeps no reservations. The reservation stays open.
   * @example
   * ```ts
   * import { Redis } from "ioredis";
   * import { createLimiter, perMinute } from "tollgate";
   * import { redisStore } from "tollgate/redis";
   *
   * const client = new Redis(process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379");
   * const store = redisStore({ client, onFailure: "deny" });
   * const limiter = createLimiter({ name: "model", limits: [perMinute(5_000, { unit: "tokens" })], store });
   * const reservation = await limiter.reserve("ann", { tokens: 2_000 });
   * const id = await reservation.keep("10m");
   * // In another process:
   * console.log(await store.reservation(id).settle({ tokens: 1_234 })); // true
   * await client.quit();
   * ```
   */
  keep(duration: Duration): Promise<string>;
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
  #end: "settled" | "cancelled" | "kept elsewhere" | undefined = undefined;

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

  /** @throws TollgateError as `AsyncReservation.keep`. */
  async keep(duration: Duration, keeper: ReservationKeeper | undefined): Promise<string> {
    const ttlUs = toMicroseconds("keep", duration);
    if (this.#end !== undefined || !this.decision.allowed || this.#hasExpired)
      throw new TollgateError("ERR_CLOSED", "keep: expected an open reservation, got a denial, or one that is over");
    if (keeper === undefined || this.decision.degraded !== undefined)
      throw new TollgateError(
        "ERR_STORE",
        "keep: expected units of a store that keeps reservations, as redisStore does",
      );
    // Nothing is corrected twice: if the store has kept it without an answer, no process knows the id.
    this.#end = "kept elsewhere";
    return later(() => this.#counted.keep(keeper, ttlUs)).catch((error: unknown) => {
      this.#end = undefined;
      throw error;
    });
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
  readonly #keeper: ReservationKeeper | undefined;

  constructor(counted: CountedCall, term: Term | undefined, keeper: ReservationKeeper | undefined) {
    this.#keeper = keeper;
    this.#reserved = new Reserved(counted, term);
    this.decision = counted.decision;
  }

  static {
    const call = (self: AwaitedReserved, verb: string, args: readonly unknown[]) =>
      later(() => callMethod(self.#reserved, verb, args));
    forwardMethods(AwaitedReserved.prototype, Reserved.prototype, "reservation", call);
  }

  async keep(this: AwaitedReserved | undefined, duration: Duration): Promise<string> {
    if (this === undefined) throw detachedError("reservation", "keep");
    return this.#reserved.keep(duration, this.#keeper);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    return this.#reserved.cancel();
  }
}
