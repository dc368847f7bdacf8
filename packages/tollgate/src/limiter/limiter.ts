/// <reference lib="esnext.disposable" preserve="true" />

import type { Cost } from "../core/cost.ts";
import type { Decision, LimitStatus } from "../core/decision.ts";

// The verbs are properties, not methods, so that a limiter of one input is not taken for a limiter of another.

/**
 * Decides at once, over a store in this process. Made by `createLimiter` and `combine`. Its verbs have to be called on it:
 * `keys.filter((key) => limiter.allow(key))`, not `keys.filter(limiter.allow)`.
 */
export interface Limiter<Input = string> {
  readonly kind: "sync";
  readonly name: string;
  /**
   * Takes the cost from every limit if all conform, else nothing. The fastest verb: with fixed limits, a plain cost and no
   * observer it builds nothing.
   *
   * @throws TollgateError `ERR_COST`, `ERR_KEY`, `ERR_LIMITS` or `ERR_CLOCK`, before anything changes; and whatever the key
   * function throws. The other verbs throw the same.
   */
  readonly allow: (input: Input, cost?: Cost) => boolean;
  /**
   * Decides a batch, each input as `allow` would, one after another at one instant, and notes 1 for an admitted and 0 for a
   * denied one in `out`, a `Uint8Array` that is at least as long. Over a table this is much quicker: the misses of the
   * cache overlap.
   *
   * @returns how many were admitted.
   * @throws TollgateError as `allow`, and `ERR_OPTION` for an `out` that does not fit; and whatever the key function throws. Then
   *   nothing has been counted.
   */
  readonly allowMany: (inputs: readonly Input[], out: Uint8Array, cost?: Cost) => number;
  /**
   * Looks a key and its limits up once, for a connection or a session: its calls skip the key function, the choice of limits
   * and the hashing. Right whatever becomes of the key meanwhile; nothing has to be released.
   */
  readonly handle: (input: Input) => Handle;
  /** As `allow`, and says why. */
  readonly consume: (input: Input, cost?: Cost) => Decision;
  /** The decision that `consume` would give; changes nothing and creates no key. */
  readonly peek: (input: Input, cost?: Cost) => Decision;
  /** How each limit stands before such a call; changes nothing. */
  readonly explain: (input: Input, cost?: Cost) => LimitStatus[];
  /**
   * Takes the cost whether or not it conforms: the key may go into debt. The decision says whether it conformed.
   * `decision` is the one that the charge adds to; here it makes no difference (`AsyncLimiter` says where it does).
   */
  readonly charge: (input: Input, cost: Cost, decision?: Decision) => Decision;
  /**
   * Gives units back, never beyond full. A late refund can admit again what had refilled meanwhile.
   *
   * `decision` is the one that took the units, by `consume` or `charge`. With it they are given back where they were
   * taken, or nowhere: a key that shared a bucket of a full store then, and has room of its own now, or the reverse,
   * gets nothing. Of a combination, only the keys that share a bucket get something back if any did.
   *
   * @throws TollgateError as `allow`, and `ERR_OPTION` for a `decision` that is none.
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
  /** Forgets a key. */
  readonly reset: (input: Input) => void;
  /** Forgets all keys. */
  readonly clear: () => void;
  /** Drops the keys that are as good as new, and says how many. Nobody gains or loses units. */
  readonly sweep: () => number;
  /** How many keys are kept, those included that a sweep would drop; a key under limits chosen per call counts for each. */
  readonly size: number;
  /** Hears of no more sweeps, and goes on deciding. The timer of a store is stopped by the store's own `close`. */
  readonly close: () => void;
  [Symbol.dispose](): void;
}

/** A key and its limits, looked up once. Made by a limiter's `handle`. */
export interface Handle {
  /** As the limiter's `allow` for that key. */
  allow(cost?: Cost): boolean;
  /** As the limiter's `consume` for that key. */
  consume(cost?: Cost): Decision;
  /** As the limiter's `charge` for that key. */
  charge(cost: Cost, decision?: Decision): Decision;
  /** As the limiter's `refund` for that key. */
  refund(cost: Cost, decision?: Decision): void;
}

/** The same over a store elsewhere. */
export interface AsyncHandle {
  allow(cost?: Cost): Promise<boolean>;
  consume(cost?: Cost): Promise<Decision>;
  charge(cost: Cost, decision?: Decision): Promise<Decision>;
  refund(cost: Cost, decision?: Decision): Promise<void>;
}

/** The same verbs over a store elsewhere, returning promises. Misuse rejects with the errors that `Limiter` throws. */
export interface AsyncLimiter<Input = string> {
  readonly kind: "async";
  readonly name: string;
  readonly allow: (input: Input, cost?: Cost) => Promise<boolean>;
  readonly allowMany: (inputs: readonly Input[], out: Uint8Array, cost?: Cost) => Promise<number>;
  readonly handle: (input: Input) => AsyncHandle;
  readonly consume: (input: Input, cost?: Cost) => Promise<Decision>;
  readonly peek: (input: Input, cost?: Cost) => Promise<Decision>;
  readonly explain: (input: Input, cost?: Cost) => Promise<LimitStatus[]>;
  /**
   * As the `charge` of `Limiter`. Given a `decision` that is `degraded`, it charges what decided in the store's place;
   * otherwise the store. If that cannot be asked, the failure policy counts the charge as any call: a debt is not
   * dropped.
   */
  readonly charge: (input: Input, cost: Cost, decision?: Decision) => Promise<Decision>;
  /**
   * As the `refund` of `Limiter`. A store that could not be asked when the units were taken may be back by now, so pass
   * the `decision` that took them: what was taken in the store's place (`degraded`) is given back there. Units of the
   * store, and units of which no decision is given, are given back in the store; if that cannot be asked, they are not
   * given back.
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
   * store.bypass = true; // as in an outage
   * const decision = await logins.consume("ann");
   * store.bypass = false;
   * await logins.refund("ann", 1, decision);
   * console.log(decision.degraded, await logins.allow("ann")); // bypassed false
   * await client.quit();
   * ```
   */
  readonly refund: (input: Input, cost: Cost, decision?: Decision) => Promise<void>;
  readonly reset: (input: Input) => Promise<void>;
  readonly clear: () => Promise<void>;
  readonly sweep: () => Promise<number>;
  readonly size: () => Promise<number>;
  readonly close: () => Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
