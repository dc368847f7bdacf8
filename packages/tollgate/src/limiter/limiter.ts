/// <reference lib="esnext.disposable" preserve="true" />

import type { Cost } from "../core/cost.ts";
import type { Decision, LimitReport } from "../core/decision.ts";

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
  readonly explain: (input: Input, cost?: Cost) => LimitReport[];
  /** Takes the cost whether or not it conforms: the key may go into debt. The decision says whether it conformed. */
  readonly charge: (input: Input, cost: Cost) => Decision;
  /** Gives units back, never beyond full. A late refund can admit again what had refilled meanwhile. */
  readonly refund: (input: Input, cost: Cost) => void;
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
  charge(cost: Cost): Decision;
  /** As the limiter's `refund` for that key. */
  refund(cost: Cost): void;
}

/** The same over a store elsewhere. */
export interface AsyncHandle {
  allow(cost?: Cost): Promise<boolean>;
  consume(cost?: Cost): Promise<Decision>;
  charge(cost: Cost): Promise<Decision>;
  refund(cost: Cost): Promise<void>;
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
  readonly explain: (input: Input, cost?: Cost) => Promise<LimitReport[]>;
  readonly charge: (input: Input, cost: Cost) => Promise<Decision>;
  readonly refund: (input: Input, cost: Cost) => Promise<void>;
  readonly reset: (input: Input) => Promise<void>;
  readonly clear: () => Promise<void>;
  readonly sweep: () => Promise<number>;
  readonly size: () => Promise<number>;
  readonly close: () => Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
