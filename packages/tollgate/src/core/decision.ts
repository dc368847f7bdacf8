import type { LeaseStatus } from "./lease-status.ts";
import type { Limit } from "./limits/limit.ts";

/** A block of a key. */
export interface Block {
  /** Milliseconds until it ends, a whole number of microseconds. */
  readonly endsInMs: number;
  /** The reason that `block` was given; absent if it was given none, and for a block that a limit began. */
  readonly reason?: string;
}

interface DecisionCommon {
  /** The name of the limiter. In a combination, the name of the limiter whose limit binds, or whose key is blocked. */
  readonly limiter: string;
  /**
   * The binding limit. If allowed, the limit with the smallest fraction left; if denied, the one with the longest wait.
   * `undefined` if no enforcing limit applied.
   */
  readonly limit: Limit | undefined;
  /**
   * Every limit that the call was counted against, with shadow limits, in order. Fixed limits give the same list each
   * time.
   */
  readonly limits: readonly Limit[];
  /**
   * Whole units left after this decision: the least of the enforcing limits that count the binding limit's unit, never
   * below 0. `Infinity` if the call is allowed and no enforcing limit applied. `undefined` if the limits function
   * denied the call, or if the store was unavailable and no fallback counted.
   */
  readonly remaining: number | undefined;
  /** Whole units left under the binding limit itself; `Infinity` or `undefined` where `remaining` is. */
  readonly limitRemaining: number | undefined;
  /**
   * Whole units that count against the binding limit after this decision: above its capacity after a `charge` into
   * debt. `undefined` without a binding limit.
   */
  readonly used: number | undefined;
  /**
   * Milliseconds after which the same call passes if nothing else arrives, a whole number of microseconds. 0 if it
   * would pass at once, which is never so after a denial. `Infinity` if it never does; a second for `"store-full"`.
   */
  readonly retryAfterMs: number;
  /** Milliseconds until the binding limit is idle if nothing else arrives. */
  readonly resetMs: number;
  /** The block that is in force after this call. Absent without one. */
  readonly block?: Block;
  /** The limits in shadow mode that would have denied. Absent if no shadow limit would have. */
  readonly shadowDenied?: readonly Limit[];
  /** Why the store was unavailable, if this decision was made without it. */
  readonly degraded?: string;
  /** Set if the store had no slot for the key, so that it was counted in an overflow bucket, which keys share. */
  readonly overflowed?: true;
}

/** The call may go on; its cost has been taken. */
export interface Allowed extends DecisionCommon {
  readonly allowed: true;
}

/** The call may not go on. Its cost has not been taken, except by `charge`. */
export interface Denied extends DecisionCommon {
  readonly allowed: false;
  /**
   * - `"exhausted"`: the call passes after `retryAfterMs`.
   * - `"cost-over-capacity"`: the call can never pass.
   * - `"store-unavailable"`: the failure policy denied.
   * - `"store-full"`: the store has no slot for the key, and denies such keys.
   * - `"blocked"`: the key is blocked until `block.endsInMs` have passed. Nothing was taken.
   * - `"others-waiting"`: calls that `wait` come first. Nothing was taken.
   * - `"queue-full"`: as many calls wait as `maxWaiting` lets. Only `wait` has this reason.
   * - `"denied"`: the limits function returned `"deny"`. Nothing was counted, and waiting does not help.
   */
  readonly reason:
    | "exhausted"
    | "cost-over-capacity"
    | "store-unavailable"
    | "store-full"
    | "blocked"
    | "others-waiting"
    | "queue-full"
    | "denied";
  /** The enforcing limits to which the cost did not conform; empty if no limit was asked. */
  readonly violated: readonly Limit[];
  /** Units that still count against the binding limit when it would let the call pass. */
  readonly usedAfterRetry: number;
}

/** What a limiter decided: look at `allowed` first. */
export type Decision = Allowed | Denied;

/** The state of one limit for a key, before the explained call. */
export interface LimitStatus {
  /** The limit's name. */
  readonly name: string;
  readonly limiter: string;
  /** The key as text: a tuple as `["ann","/login",42]`. */
  readonly key: string;
  readonly unit: string;
  /** The limit's capacity in its unit. */
  readonly capacity: number;
  /** Whole units that count now; above `capacity` while the key is in debt. */
  readonly used: number;
  /** Whole units left, never below 0. */
  readonly remaining: number;
  /** Milliseconds until the cost would conform: 0 if it does now, `Infinity` if it never will. */
  readonly retryAfterMs: number;
  /** Milliseconds until the limit is idle if nothing else arrives. */
  readonly resetMs: number;
  /** Whether this limit alone would allow the cost. */
  readonly allowed: boolean;
  readonly mode: "enforce" | "shadow";
  /** Where the limit stands at this node of a hybrid store with leases. Other stores leave it out. */
  readonly lease?: LeaseStatus;
}
