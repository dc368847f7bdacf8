/// <reference lib="esnext.disposable" preserve="true" />

import type { Cost } from "../core/cost.ts";
import type { Decision, LimitStatus } from "../core/decision.ts";
import type { Key } from "../core/key.ts";
import type { Limit } from "../core/limits/limit.ts";
import type { Observer } from "../core/observer.ts";
import type { BlockOptions, BlockSpan } from "./block-span.ts";
import type { ObserveOptions } from "./observers.ts";
import type { RunOptions, WorkOptions } from "./outgoing-work.ts";
import type { AcquireOptions, AsyncReservation, Reservation, ReserveOptions } from "./reservation.ts";
import type { WaitOptions } from "./wait-options.ts";

// The verbs are properties instead of methods, so that a limiter of one input type is not assignable to another.

/**
 * Decides at once, over a store in this process. Made by `createLimiter` and `combine`. Call its verbs as methods:
 * `keys.filter((key) => limiter.allow(key))`, not `keys.filter(limiter.allow)`.
 */
export interface Limiter<Input = string> {
  readonly kind: "sync";
  readonly name: string;
  /**
   * Takes the cost from every limit if all conform, else nothing. The fastest verb: with fixed limits, a plain cost and
   * no observer it allocates nothing.
   *
   * @throws TollgateError `ERR_COST`, `ERR_KEY`, `ERR_LIMITS` or `ERR_CLOCK`, before anything changes; and what the key
   * function throws. The other verbs throw the same errors.
   */
  readonly allow: (input: Input, cost?: Cost) => boolean;
  /**
   * Decides a batch as `allow` would, one input after another at one instant. It writes 1 for an admitted input and 0
   * for a denied one into `out`, a `Uint8Array` that is at least as long. Over a table this is much faster than single
   * calls, because cache misses overlap.
   *
   * @returns how many were admitted.
   * @throws TollgateError as `allow`, and `ERR_OPTION` for an `out` that does not fit; and what the key function
   *   throws. Then nothing has been counted.
   */
  readonly allowMany: (inputs: readonly Input[], out: Uint8Array, cost?: Cost) => number;
  /**
   * Looks a key and its limits up once, for a connection or a session. Calls of a handle skip the key function, the
   * choice of limits and the hashing. A handle stays valid if the key is dropped meanwhile. It needs no release.
   */
  readonly handle: (input: Input) => Handle;
  /**
   * Every verb for a key that is known already, without the input that the key function needs. Where a function chooses
   * the limits, pass those of the key as `limits`. Without them `explain` lists the limits under which the key counts,
   * `reset` forgets it under all of them, and the other verbs throw. Only limits that this limiter has met are found:
   * over an `AsyncStore` at least the last 500.
   *
   * @throws TollgateError `ERR_KEY`; `ERR_COMBINE` for a combination, whose limiters can be asked one by one;
   *   `ERR_OPTION` for `limits` that are fixed; `ERR_LIMITS` as `createLimiter`.
   * @example
   * ```ts
   * import { createLimiter, perMinute } from "tollgate";
   *
   * type Call = { user: string; route: string };
   * const limiter = createLimiter({ key: (call: Call) => [call.user, call.route], limits: [perMinute(2)] });
   * limiter.allow({ user: "ann", route: "/report" }, 2);
   *
   * const known = limiter.byKey(["ann", "/report"]);
   * console.log(known.peek().allowed, known.explain()[0]?.used); // false 2
   * known.reset();
   * console.log(known.peek().allowed); // true
   * ```
   */
  readonly byKey: (key: Key, limits?: readonly Limit[]) => Handle;
  /** Works like `allow`, with the reason and the figures of the decision. */
  readonly consume: (input: Input, cost?: Cost) => Decision;
  /** The decision that `consume` would give; changes nothing and creates no key. */
  readonly peek: (input: Input, cost?: Cost) => Decision;
  /** The state of each limit before such a call; changes nothing. */
  readonly explain: (input: Input, cost?: Cost) => LimitStatus[];
  /**
   * Takes the cost whether or not it conforms: the key may go into debt. The decision says whether the cost conformed.
   * `decision` is the decision that the charge adds to. It matters only for an `AsyncLimiter`.
   */
  readonly charge: (input: Input, cost: Cost, decision?: Decision) => Decision;
  /**
   * Gives units back, never beyond full. A late refund can admit again what had refilled meanwhile.
   *
   * `decision` is the decision that took the units, by `consume` or `charge`. With it, units are given back where they
   * were taken, or not at all. A key that was in an overflow bucket then and has its own slot now gets nothing, and
   * neither does the reverse. In a combination, if any key was overflowed, only overflowed keys get units back.
   *
   * @throws TollgateError as `allow`, and `ERR_OPTION` unless `decision` is a decision.
   * @example
   * ```ts
   * import { createLimiter, perMinute } from "tollgate";
   *
   * const logins = createLimiter({ limits: [perMinute(3)] });
   * const decision = logins.consume("ann");
   * // The password was right: only failures count.
   * logins.refund("ann", 1, decision);
   * console.log(decision.remaining, logins.peek("ann", 0).remaining); // 2 3
   * ```
   */
  readonly refund: (input: Input, cost: Cost, decision?: Decision) => void;
  /**
   * Waits until it is the call's turn, first come, first served for each key, and then takes the cost: as `consume`,
   * later. Meanwhile `allow` and `consume` of the key are denied, unless the limiter was made with `barging`. The
   * process stays alive while a call waits.
   *
   * The call rejects with a `DeniedError`, at once, if the wait cannot end within `maxWait`, if the cost can never
   * pass, or if as many wait as may (`maxWaiting`). A `signal` that aborts ends the wait: nothing is taken.
   *
   * @throws TollgateError Rejects with a `DeniedError`, with what `allow` throws, with `ERR_OPTION` or `ERR_DURATION`
   *   for an option that does not fit, with `ERR_CLOSED` if `close` ends the wait, and with the reason of the signal.
   * @example
   * ```ts
   * import { createLimiter, perSecond } from "tollgate";
   * import { manualClock } from "tollgate/testing";
   *
   * const clock = manualClock(); // leave it out: then the time is real
   * const limiter = createLimiter({ limits: [perSecond(1)], clock });
   * const first = await limiter.wait("api");
   * const second = limiter.wait("api");
   * console.log(limiter.allow("api")); // false
   * await limiter.wait("api", 1, { maxWait: 500 }).catch((error) => console.log(error.decision.retryAfterMs)); // 2000
   * clock.advance(1_000);
   * console.log(first.allowed, (await second).allowed); // true true
   * ```
   */
  readonly wait: (input: Input, cost?: Cost, options?: WaitOptions) => Promise<Decision>;
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
  readonly reserve: (input: Input, cost?: Cost, options?: ReserveOptions) => Reservation;
  /**
   * Waits as `wait` does, and then reserves: for a place under a limit on concurrency, too, which `wait` could not
   * hold. The reservation's verbs return promises, over every store. Its `ttl` begins when the wait has ended.
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
  readonly acquire: (input: Input, cost?: Cost, options?: AcquireOptions) => Promise<AsyncReservation>;
  /**
   * Waits for a turn, does one piece of work, and resolves with its result. A place under a limit on concurrency is
   * held while the work goes on.
   *
   * @throws TollgateError Rejects with what `wait` rejects with, and with what `work` throws.
   * @example
   * ```ts
   * import { createLimiter, perSecond } from "tollgate";
   *
   * const limiter = createLimiter({ limits: [perSecond(10)] });
   * console.log(await limiter.run("ann", async () => "hello ann", { maxWait: "5s" })); // hello ann
   * ```
   */
  readonly run: <Result>(
    input: Input,
    work: () => Result | PromiseLike<Result>,
    options?: RunOptions,
  ) => Promise<Result>;
  /**
   * A function that waits for its turn before each call of `work`, and returns a promise of the result. `input` and
   * `cost` are values, or functions of the arguments.
   *
   * @throws TollgateError `ERR_OPTION`. The function rejects with a `DeniedError` in place of a call that is denied,
   *   with what `wait` rejects with, and with what `work` throws.
   * @example
   * ```ts
   * import { createLimiter, perSecond } from "tollgate";
   *
   * const limiter = createLimiter({ limits: [perSecond(10)] });
   * const greet = limiter.wrap(async (user: string) => `hello ${user}`, { input: (user) => user });
   * console.log(await greet("ann")); // hello ann
   * ```
   */
  readonly wrap: <This, Args extends readonly unknown[], Result>(
    work: (this: This, ...args: Args) => Result | PromiseLike<Result>,
    options: WorkOptions<Input, Args>,
  ) => (this: This, ...args: Args) => Promise<Result>;
  /**
   * The items of an iterable, each when it is its turn. The next item is asked for when the one before was taken.
   *
   * @throws TollgateError `ERR_OPTION`. The iteration throws a `DeniedError` at an item that is denied, and what `wait`
   *   rejects with.
   * @example
   * ```ts
   * import { createLimiter, perSecond } from "tollgate";
   *
   * const limiter = createLimiter({ limits: [perSecond(10)] });
   * const pages: string[] = [];
   * for await (const page of limiter.pace(["/a", "/b"], { input: "crawler" })) pages.push(page);
   * console.log(pages.join(" ")); // /a /b
   * ```
   */
  readonly pace: <Item>(
    items: AsyncIterable<Item> | Iterable<Item>,
    options: WorkOptions<Input, [item: Item]>,
  ) => AsyncGenerator<Item, void, void>;
  /** Forgets the counts of a key. A block stays: `unblock` ends it. */
  readonly reset: (input: Input) => void;
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
  readonly block: (input: Input, span: BlockSpan, options?: BlockOptions) => void;
  /**
   * Ends the block of a key and forgets its offences. The counts stay: after a `blockFor`, call `reset` too, or the
   * limit that is exhausted denies the key and blocks it again.
   *
   * @returns whether the key was blocked.
   */
  readonly unblock: (input: Input) => boolean;
  /** When the block of a key ends, in milliseconds since the epoch; `undefined` if the key is not blocked. */
  readonly blockedUntil: (input: Input) => number | undefined;
  /**
   * Adds an observer while the limiter runs, and returns a function that removes it. A combination's observer is
   * notified of the combination's calls; a limiter's observer also of the calls of combinations that it is part of.
   *
   * @throws TollgateError `ERR_OPTION`.
   * @example
   * ```ts
   * import { createLimiter, perMinute } from "tollgate";
   *
   * const limiter = createLimiter({ limits: [perMinute(1)] });
   * const denied: string[] = [];
   * const stop = limiter.observe((observation) => {
   *   if (observation.type === "decision" && !observation.decision.allowed) denied.push(...observation.keys);
   * });
   * for (const user of ["ann", "ann", "bob"]) limiter.allow(user);
   * stop();
   * console.log(limiter.allow("bob"), denied); // false [ 'ann' ]
   * ```
   */
  readonly observe: (observer: Observer, options?: ObserveOptions) => () => void;
  /** Forgets the counts of all keys. Blocks stay. */
  readonly clear: () => void;
  /** Drops the idle keys, and says how many. No key gains or loses units. */
  readonly sweep: () => number;
  /** How many keys are kept, with idle ones. A key under several limits that are chosen per call counts for each. */
  readonly size: number;
  /**
   * Stops sweep notifications and ends waits, with `ERR_CLOSED`; the limiter goes on deciding. The store's own `close`
   * stops the store's timer.
   */
  readonly close: () => void;
  [Symbol.dispose](): void;
}

/** A key and its limits, looked up once. Made by a limiter's `handle` and `byKey`. */
export interface Handle {
  /** As the limiter's `allow` for that key. */
  allow(cost?: Cost): boolean;
  /** As the limiter's `consume` for that key. */
  consume(cost?: Cost): Decision;
  /** As the limiter's `peek` for that key. */
  peek(cost?: Cost): Decision;
  /** As the limiter's `explain` for that key. */
  explain(cost?: Cost): LimitStatus[];
  /** As the limiter's `charge` for that key. */
  charge(cost: Cost, decision?: Decision): Decision;
  /** As the limiter's `refund` for that key. */
  refund(cost: Cost, decision?: Decision): void;
  /** As the limiter's `wait` for that key. */
  wait(cost?: Cost, options?: WaitOptions): Promise<Decision>;
  /** As the limiter's `reserve` for that key. */
  reserve(cost?: Cost, options?: ReserveOptions): Reservation;
  /** As the limiter's `acquire` for that key. */
  acquire(cost?: Cost, options?: AcquireOptions): Promise<AsyncReservation>;
  /** As the limiter's `reset` for that key. */
  reset(): void;
  /** As the limiter's `block` for that key. */
  block(span: BlockSpan, options?: BlockOptions): void;
  /** As the limiter's `unblock` for that key. */
  unblock(): boolean;
  /** As the limiter's `blockedUntil` for that key. */
  blockedUntil(): number | undefined;
}
