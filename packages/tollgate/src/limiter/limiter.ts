/// <reference lib="esnext.disposable" preserve="true" />

import type { Cost } from "../core/cost.ts";
import type { Decision, LimitStatus } from "../core/decision.ts";
import type { Key } from "../core/key.ts";
import type { Limit } from "../core/limits/limit.ts";
import type { BlockOptions, BlockSpan } from "./block-span.ts";

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
  /** Forgets the counts of all keys. Blocks stay. */
  readonly clear: () => void;
  /** Drops the idle keys, and says how many. No key gains or loses units. */
  readonly sweep: () => number;
  /** How many keys are kept, with idle ones. A key under several limits that are chosen per call counts for each. */
  readonly size: number;
  /** Stops sweep notifications; the limiter goes on deciding. The store's own `close` stops the store's timer. */
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
  /** As the limiter's `reset` for that key. */
  reset(): void;
  /** As the limiter's `block` for that key. */
  block(span: BlockSpan, options?: BlockOptions): void;
  /** As the limiter's `unblock` for that key. */
  unblock(): boolean;
  /** As the limiter's `blockedUntil` for that key. */
  blockedUntil(): number | undefined;
}

/** A handle of an `AsyncLimiter`. */
export interface AsyncHandle {
  allow(cost?: Cost): Promise<boolean>;
  consume(cost?: Cost): Promise<Decision>;
  peek(cost?: Cost): Promise<Decision>;
  explain(cost?: Cost): Promise<LimitStatus[]>;
  charge(cost: Cost, decision?: Decision): Promise<Decision>;
  refund(cost: Cost, decision?: Decision): Promise<void>;
  reset(): Promise<void>;
  block(span: BlockSpan, options?: BlockOptions): Promise<void>;
  unblock(): Promise<boolean>;
  blockedUntil(): Promise<number | undefined>;
}

/**
 * The verbs of `Limiter` over an asynchronous store, or over any store with a key or limits that are looked up. Misuse
 * rejects with the errors that `Limiter` throws, and so does a call whose look-up rejects: it counts nothing.
 */
export interface AsyncLimiter<Input = string> {
  readonly kind: "async";
  readonly name: string;
  readonly allow: (input: Input, cost?: Cost) => Promise<boolean>;
  readonly allowMany: (inputs: readonly Input[], out: Uint8Array, cost?: Cost) => Promise<number>;
  /** As the `handle` of `Limiter`. A look-up is made once, at once; if it rejects, every call of the handle does. */
  readonly handle: (input: Input) => AsyncHandle;
  /** As the `byKey` of `Limiter`. It makes no look-up. */
  readonly byKey: (key: Key, limits?: readonly Limit[]) => AsyncHandle;
  readonly consume: (input: Input, cost?: Cost) => Promise<Decision>;
  readonly peek: (input: Input, cost?: Cost) => Promise<Decision>;
  readonly explain: (input: Input, cost?: Cost) => Promise<LimitStatus[]>;
  /**
   * As the `charge` of `Limiter`. With a `decision` that is `degraded`, it charges the fallback that decided; otherwise
   * the store. While the store is unavailable, the failure policy counts the charge as any call, so a debt is not lost.
   */
  readonly charge: (input: Input, cost: Cost, decision?: Decision) => Promise<Decision>;
  /**
   * As the `refund` of `Limiter`. Pass the `decision` that took the units: a store that was unavailable then may be
   * back by now. Units that a fallback took (`degraded`) are given back there. All other units are given back in the
   * store, or not at all if it is unavailable.
   *
   * @example
   * ```ts
   * import { Redis } from "ioredis";
   * import { createLimiter, memoryStore, perMinute } from "tollgate";
   * import { redisStore } from "tollgate/redis";
   *
   * const client = new Redis(process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379");
   * const store = redisStore({ client, onFailure: { fallback: memoryStore(), share: 1 } });
   * const logins = createLimiter({ name: "refunds", limits: [perMinute(3)], store });
   * await logins.allow("ann", 3);
   *
   * store.bypass = true; // as if Redis were down
   * const decision = await logins.consume("ann");
   * store.bypass = false;
   * await logins.refund("ann", 1, decision);
   * console.log(decision.degraded, await logins.allow("ann")); // bypassed false
   * await client.quit();
   * ```
   */
  readonly refund: (input: Input, cost: Cost, decision?: Decision) => Promise<void>;
  readonly reset: (input: Input) => Promise<void>;
  readonly block: (input: Input, span: BlockSpan, options?: BlockOptions) => Promise<void>;
  readonly unblock: (input: Input) => Promise<boolean>;
  readonly blockedUntil: (input: Input) => Promise<number | undefined>;
  readonly clear: () => Promise<void>;
  readonly sweep: () => Promise<number>;
  readonly size: () => Promise<number>;
  readonly close: () => Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
