import { isPromise } from "../core/checks.ts";
import type { Clock } from "../core/clock.ts";
import { countsPlaces } from "../core/limits/places.ts";
import type { CountedCall } from "../limiter/reserving/counted-call.ts";
import type { KeepAlive } from "./settlement.ts";

/** A place is renewed so often in its time to live. If a renewal fails, the next one comes in time. */
const RENEWALS = 3;
/** `setTimeout` takes longer delays for 1 ms. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The logs of requests, by the bodies of their responses. */
const LOGS = new WeakMap<object, (error: unknown) => void>();
/** In place of a body that was dropped. */
const GONE = {};

/** What holding places needs of the gate. */
export interface PlacesParts {
  /** If it has a `schedule`, renewals follow it. */
  readonly clock: Clock;
  /** Never throws. */
  readonly logError: (error: unknown) => void;
}

/** The places that a request took; `undefined` if it took none. */
export function placesOf(counted: CountedCall, parts: PlacesParts): RequestPlaces | undefined {
  if (!counted.hasPlaces) return undefined;
  const ttls = counted.decision.limits.filter(countsPlaces).map(({ ttlMs }) => ttlMs);
  return new RequestPlaces(counted, Math.min(...ttls), parts);
}

/** The places of one request. They are renewed while the adapter holds them, and freed when the response has ended. */
export class RequestPlaces {
  readonly #counted: CountedCall;
  readonly #everyMs: number;
  readonly #clock: Clock;
  #logError: (error: unknown) => void;
  #keepAlive: KeepAlive | undefined;
  /** Stops the next renewal. */
  #cancel: (() => void) | undefined;
  #isOver = false;
  #isToldLost = false;
  /** The body of the response, for adapters that see no more of the response. */
  #body: WeakRef<object> | undefined;

  constructor(counted: CountedCall, ttlMs: number, { clock, logError }: PlacesParts) {
    this.#counted = counted;
    this.#everyMs = Math.min(Math.max(1, Math.floor(ttlMs / RENEWALS)), LONGEST_TIMEOUT_MS);
    this.#clock = clock;
    this.#logError = logError;
  }

  keepAliveBy(keepAlive: KeepAlive | undefined): void {
    this.#keepAlive = keepAlive;
  }

  /**
   * Keeps the places from now on. Until then they free themselves after their time to live, should an adapter fail.
   *
   * @returns a function that frees them. Its first call counts, and it never throws.
   */
  hold(): () => void {
    this.#renewLater();
    return () => this.#free();
  }

  /**
   * Ends the renewals when a body was dropped: some servers neither read nor cancel the body of a response whose client
   * has gone.
   */
  follow(body: object): void {
    const known = new WeakRef(body);
    this.#body = known;
    // The log has the request, which may have the response: it must not keep the body either.
    LOGS.set(body, this.#logError);
    this.#logError = (error) => LOGS.get(known.deref() ?? GONE)?.(error);
  }

  #renewLater(): void {
    const renew = (): void => this.#renew();
    this.#cancel = this.#clock.schedule?.(renew, this.#everyMs) ?? callLater(renew, this.#everyMs);
  }

  #renew(): void {
    if (this.#body !== undefined && this.#body.deref() === undefined) {
      this.#free();
      return;
    }
    try {
      const renewed = this.#counted.renew();
      // At once if possible: a clock of tests may be on its way to the next renewal.
      if (isPromise(renewed)) renewed.then((isHeld) => this.#renewed(isHeld), this.#failed);
      else this.#renewed(renewed);
    } catch (error) {
      this.#failed(error);
    }
  }

  #renewed(isHeld: boolean): void {
    if (this.#isOver) return;
    // The store may have been unavailable, and have the place still: another renewal finds out.
    if (!(isHeld || this.#isToldLost)) this.#logError(new Error(LOST));
    this.#isToldLost = !isHeld;
    this.#renewLater();
  }

  readonly #failed = (error: unknown): void => {
    this.#logError(error);
    if (!this.#isOver) this.#renewLater();
  };

  #free(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancel?.();
    try {
      // What was counted stands, or is settled by a `Settlement`.
      const freed = this.#counted.free();
      if (isPromise(freed)) this.#keep(freed);
    } catch (error) {
      this.#logError(error);
    }
  }

  #keep(freed: PromiseLike<unknown>): void {
    const logged = Promise.resolve(freed).catch(this.#logError);
    this.#keepAlive?.(logged);
  }
}

const LOST =
  "rateLimit: expected the place of a request to be held until its response has ended, but it was not renewed: " +
  "the store was unavailable, or the place had freed itself";

/** The timer does not keep the process alive. */
function callLater(callback: () => void, delayMs: number): () => void {
  const timer = setTimeout(callback, delayMs);
  if (typeof timer === "object") timer.unref();
  return () => clearTimeout(timer);
}
