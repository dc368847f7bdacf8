import type { Cost } from "../core/cost.ts";
import type { Decision, LimitStatus } from "../core/decision.ts";
import type { BlockOptions, BlockTime } from "./block-time.ts";
import type { Kind, Result } from "./kinds.ts";
import type { AcquireOptions, AsyncReservation, ReservationOf, ReserveOptions } from "./reserving/reservation.ts";
import type { WaitOptions } from "./waiting/wait-options.ts";

/**
 * The verbs for one key. A handle has them as they are here; in a limiter, an input comes first, from which the limiter
 * finds the key.
 */
export interface KeyVerbs<K extends Kind> {
  /**
   * Takes the cost from every limit if all conform, else nothing. The fastest verb: with fixed limits, a plain cost and
   * no observer it allocates nothing.
   *
   * @throws TollgateError `ERR_COST`, `ERR_KEY`, `ERR_LIMITS` or `ERR_CLOCK`, before anything changes; and what the key
   * function throws. The other verbs throw the same errors.
   */
  allow(cost?: Cost): Result<K, boolean>;
  /** Works like `allow`, with the reason and the figures of the decision. */
  consume(cost?: Cost): Result<K, Decision>;
  /** The decision that `consume` would give; changes nothing and creates no key. */
  peek(cost?: Cost): Result<K, Decision>;
  /** The state of each limit before such a call; changes nothing. */
  explain(cost?: Cost): Result<K, LimitStatus[]>;
  /**
   * Takes the cost whether or not it conforms: the key may go into debt. The decision says whether the cost conformed.
   *
   * `decision` is the decision that the charge adds to: observers are told that it is part of that call. If that
   * decision was made without the store (`degraded`), the fallback is charged, otherwise the store.
   */
  charge(cost: Cost, decision?: Decision): Result<K, Decision>;
  /**
   * Gives units back, never beyond full.
   *
   * With the `decision` that took the units, what that decision took is given back, at most once and where it was
   * taken, while it counts. After a `reset`, after the end of its window, or once the bucket would have been full
   * again, nothing is given back. A denial took nothing. Without a decision the units are a credit, and the caller is
   * trusted: a late credit can admit again what had refilled meanwhile. Over an asynchronous store that is unavailable,
   * a credit is dropped.
   *
   * @throws TollgateError as `allow`, and `ERR_OPTION` unless `decision` is a decision of this limiter, and no copy.
   * @example
   * ```ts
   * import { createLimiter, perMinute } from "tollgate";
   *
   * const logins = createLimiter({ limits: [perMinute(3)] });
   * const decision = logins.consume("ann");
   * // The password was right: only failures count.
   * logins.refund("ann", 1, decision);
   * logins.refund("ann", 1, decision); // gives nothing back: the decision took one unit
   * console.log(decision.remaining, logins.peek("ann", 0).remaining); // 2 3
   * ```
   */
  refund(cost: Cost, decision?: Decision): Result<K, void>;
  /**
   * Waits until it is the call's turn, first come, first served for each key, and then takes the cost: as `consume`,
   * later. Meanwhile `allow` and `consume` of the key are denied, unless the limiter was made with `barging`. The
   * process stays alive while a call waits.
   *
   * It rejects with a `DeniedError`, at once, if the wait cannot end within `maxWait`, if the cost can never pass, or
   * if too many wait (`maxWaiting`). So what comes after `await` is work that may be done. A `signal` that aborts ends
   * the wait: nothing is taken. Units are taken at the decision; the caller goes on in the same turn of the event loop,
   * after those that are decided in this turn. Where work must not begin later than its units are taken, use `run`.
   *
   * Over an asynchronous store, one call of each key and process asks at a time, when its last denial said or up to a
   * tenth of the wait later. If the store is unavailable, its failure policy decides.
   *
   * @throws TollgateError Rejects with a `DeniedError`, with what `allow` throws, with `ERR_OPTION` or `ERR_DURATION`
   * for
   *   an option that does not fit, with `ERR_CLOSED` if `close` ends the wait, and with the reason of the signal.
   * @example
   * ```ts
   * import { createLimiter, perSecond } from "tollgate";
   * import { manualClock } from "tollgate/testing";
   *
   * const clock = manualClock(); // leave it out: then the time is real
   * const limiter = createLimiter({ limits: [perSecond(1)], clock });
   * const first = await limiter.wait("api");
   * const second = limiter.wait("api");
   * const third = await limiter.wait("api", 1, { maxWait: 500 }).catch((error) => error.decision.retryAfterMs);
   * console.log(limiter.allow("api"), third); // false 2000
   * clock.advance(1_000);
   * console.log(first.allowed, (await second).allowed); // true true
   * ```
   */
  wait(cost?: Cost, options?: WaitOptions): Promise<Decision>;
  /**
   * Takes an estimated cost, as `consume` does. The reservation is settled with the actual cost once that is known, or
   * cancelled; `using` cancels what was not settled.
   *
   * @throws TollgateError as `allow`, and `ERR_OPTION` or `ERR_DURATION` for an option that does not fit.
   * @example
   * ```ts
   * import { createLimiter, perMinute } from "tollgate";
   *
   * const limits = [perMinute(10), perMinute(5_000, { unit: "tokens" })];
   * const limiter = createLimiter({ limits });
   * const reservation = limiter.reserve("ann", { requests: 1, tokens: 2_000 });
   * if (reservation.decision.allowed) reservation.settle({ tokens: 1_234 }); // what the model has used
   * console.log(limiter.explain("ann").map(({ used }) => used)); // [ 1, 1234 ]
   * ```
   */
  reserve(cost?: Cost, options?: ReserveOptions): Result<K, ReservationOf<K>>;
  /**
   * Waits as `wait` does, and then reserves: for a place under a limit on concurrency, too, which `wait` could not
   * hold. The reservation's verbs return promises, over every store. Its `ttl` begins when the wait has ended. A wait
   * that ends with a denial rejects, as `wait` does.
   *
   * @throws TollgateError Rejects with what `wait` rejects with.
   * @example
   * ```ts
   * import { concurrency, createLimiter } from "tollgate";
   *
   * const limiter = createLimiter({ limits: [concurrency({ max: 1, ttl: "30s" })] });
   * const first = await limiter.acquire("database");
   * const second = limiter.acquire("database");
   * await first.settle();
   * console.log((await second).decision.allowed); // true
   * ```
   */
  acquire(cost?: Cost, options?: AcquireOptions): Promise<AsyncReservation>;
  /** Forgets the counts of a key. A block stays: `unblock` ends it. */
  reset(): Result<K, void>;
  /**
   * Denies a key, whatever its counts, for a duration or until a moment: reason `"blocked"`. Nothing is taken, and
   * counts go on refilling. It replaces an earlier block. A combination blocks the key of each of its limiters.
   *
   * @throws TollgateError `ERR_DURATION` unless the block ends after now and within ten years; `ERR_OPTION` for a
   *   reason that is no text of 1 to 100 characters; `ERR_STORE` if the store is full, or keeps no blocks.
   * @example
   * ```ts
   * import { createLimiter, perMinute } from "tollgate";
   *
   * const limiter = createLimiter({ limits: [perMinute(100)] });
   * limiter.block("ann", "10m", { reason: "scraping" });
   * const decision = limiter.consume("ann");
   * if (!decision.allowed) console.log(decision.reason, decision.block?.reason); // blocked scraping
   * console.log(limiter.unblock("ann"), limiter.allow("ann")); // true true
   * ```
   */
  block(span: BlockTime, options?: BlockOptions): Result<K, void>;
  /**
   * Ends the block of a key and forgets its offences. The counts stay: after a `blockFor`, call `reset` too, or the
   * limit that is exhausted denies the key and blocks it again.
   *
   * @returns whether the key was blocked.
   */
  unblock(): Result<K, boolean>;
  /** When the block of a key ends, in milliseconds since the epoch; `undefined` if the key is not blocked. */
  blockedUntil(): Result<K, number | undefined>;
}

/** The same verbs with an input before their arguments. They are properties, so that inputs are compared strictly. */
export type WithInput<Input, Verbs> = {
  readonly [Name in keyof Verbs]: Verbs[Name] extends (...args: infer Args) => infer Returned
    ? (input: Input, ...args: Args) => Returned
    : never;
};

declare const NO_INPUT: unique symbol;

/**
 * The verbs of a limiter whose key function takes no input: one key for all calls, so that the input can be left out.
 */
export type WithoutInput<K extends Kind> = {
  readonly [Name in keyof KeyVerbs<K>]: (
    input?: undefined,
    ...args: Parameters<KeyVerbs<K>[Name]>
  ) => ReturnType<KeyVerbs<K>[Name]>;
} & {
  /** Tells the compiler such a limiter; it has no such property. */
  readonly [NO_INPUT]: true;
};
