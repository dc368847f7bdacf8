import type { Limit } from "./limits/limit.ts";

interface DecisionCommon {
  /** The name of the limiter; in a combination, of the one whose limit binds. */
  readonly limiter: string;
  /**
   * The binding limit: when allowed the one with the smallest share left, when denied the one with the longest wait.
   * `undefined` when no enforcing limit applied.
   */
  readonly limit: Limit | undefined;
  /** Every limit that the call was counted against, shadow ones too, in the limiter's order. Of fixed limits always the same list. */
  readonly limits: readonly Limit[];
  /**
   * Whole units left after this decision: the least of the enforcing limits that count the binding limit's unit, never
   * below 0; `Infinity` when no enforcing limit applied.
   */
  readonly remaining: number;
  /** Whole units left under the binding limit itself; `Infinity` when no enforcing limit applied. */
  readonly limitRemaining: number;
  /** Milliseconds until the binding limit is as good as new if nothing else arrives. */
  readonly resetMs: number;
  /** Limits in shadow mode that would have denied, if there are any. */
  readonly shadowDenied?: readonly Limit[];
  /** Why the store could not be asked, when this decision was made without it. */
  readonly degraded?: string;
  /** Set when the store had no room for the key, so that it was counted in a bucket that it shares with others. */
  readonly overflowed?: true;
}

/** The call may go on; its cost has been taken. */
export interface Allowed extends DecisionCommon {
  readonly allowed: true;
  /** Milliseconds until the binding limit would let the same call pass again, if nothing else arrives: 0 if at once. */
  readonly nextMs: number;
}

/** The call may not go on; nothing has been taken (`charge` alone takes all the same). */
export interface Denied extends DecisionCommon {
  readonly allowed: false;
  /**
   * `"exhausted"`: wait. `"cost-over-capacity"`: it can never pass. `"store-unavailable"`: the failure policy denied.
   * `"store-full"`: there is no room to count the key, and the store denies such keys; when there will be is not known.
   */
  readonly reason: "exhausted" | "cost-over-capacity" | "store-unavailable" | "store-full";
  /**
   * The least time, a whole number of microseconds, after which the same call passes if nothing else arrives;
   * `Infinity` when it never does. For `"store-full"` a second.
   */
  readonly retryAfterMs: number;
  /** The enforcing limits to which the cost did not conform: none where the store could not be asked. */
  readonly violated: readonly Limit[];
  /** Units that still count against the binding limit at that moment. */
  readonly usedAfterRetry: number;
}

/** What a limiter decided: look at `allowed` first. */
export type Decision = Allowed | Denied;

/** How one limit stands for a key, before the call that is being explained. */
export interface LimitStatus {
  /** The limit's name. */
  readonly name: string;
  readonly limiter: string;
  readonly key: string;
  readonly unit: string;
  /** The limit's capacity in its unit. */
  readonly limit: number;
  /** Whole units that count now; above `limit` while the key is in debt. */
  readonly used: number;
  /** Whole units left, never below 0. */
  readonly remaining: number;
  /** Milliseconds until the cost would conform: 0 if it does now, `Infinity` if it never will. */
  readonly retryAfterMs: number;
  /** Milliseconds until the limit is as good as new if nothing else arrives. */
  readonly resetMs: number;
  /** Whether this limit alone would allow the cost. */
  readonly allowed: boolean;
  readonly mode: "enforce" | "shadow";
}
