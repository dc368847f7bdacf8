import type { Cost } from "../core/cost.ts";
import type { Decision, LimitReport } from "../core/decision.ts";

/** Decides at once, over a store in this process. Made by `createLimiter` and `combine`. */
export interface Limiter<Input = string> {
  readonly kind: "sync";
  readonly name: string;
  /**
   * Takes the cost from every limit if all conform, else nothing. Allocates nothing for fixed limits, a plain cost and
   * no observer.
   *
   * @throws TollgateError `ERR_COST`, `ERR_KEY`, `ERR_LIMITS` or `ERR_CLOCK`, before anything changes; and whatever the key
   * function throws. The other verbs throw the same.
   */
  allow(input: Input, cost?: Cost): boolean;
  /** As `allow`, and says why. */
  consume(input: Input, cost?: Cost): Decision;
  /** The decision that `consume` would give; changes nothing and creates no key. */
  peek(input: Input, cost?: Cost): Decision;
  /** How each limit stands before such a call; changes nothing. */
  explain(input: Input, cost?: Cost): LimitReport[];
  /** Takes the cost whether or not it conforms: the key may go into debt. The decision says whether it conformed. */
  charge(input: Input, cost: Cost): Decision;
  /** Gives units back, never beyond full. A late refund can admit again what had refilled meanwhile. */
  refund(input: Input, cost: Cost): void;
  /** Forgets a key. */
  reset(input: Input): void;
  /** Forgets all keys. */
  clear(): void;
  /** Drops the keys that are as good as new, and says how many. Nobody gains or loses units. */
  sweep(): number;
  /** How many keys are kept, those included that a sweep would drop; a key under limits chosen per call counts for each. */
  readonly size: number;
  /** Stops the timers of a store that the limiter made itself; one that was passed in is its owner's to close. */
  close(): void;
  [Symbol.dispose](): void;
}

/** The same verbs over a store elsewhere, returning promises. Misuse rejects with the errors that `Limiter` throws. */
export interface AsyncLimiter<Input = string> {
  readonly kind: "async";
  readonly name: string;
  allow(input: Input, cost?: Cost): Promise<boolean>;
  consume(input: Input, cost?: Cost): Promise<Decision>;
  peek(input: Input, cost?: Cost): Promise<Decision>;
  explain(input: Input, cost?: Cost): Promise<LimitReport[]>;
  charge(input: Input, cost: Cost): Promise<Decision>;
  refund(input: Input, cost: Cost): Promise<void>;
  reset(input: Input): Promise<void>;
  clear(): Promise<void>;
  sweep(): Promise<number>;
  size(): Promise<number>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
