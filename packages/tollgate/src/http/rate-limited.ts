import type { Cost } from "../core/cost.ts";
import type { Allowed, Decision, Denied } from "../core/decision.ts";
import { TollgateError } from "../core/errors.ts";

/** What handlers find of the limiter that counted their request: its decision, and how to tell the true cost. */
export type RateLimited = Decision & {
  /**
   * Tells what the request has cost so far: a number, or one per unit. The limiter refunds or charges the difference at
   * once, under the key and limits that counted the request, even if its client has gone or its response has ended.
   * Units that the cost does not name keep what was counted. The last call stands, before and after `chargeAfter`. A
   * denied request has taken nothing, so all of the cost is charged. `logError` gets what an asynchronous limiter
   * rejects with.
   *
   * @throws TollgateError `ERR_COST` for a malformed cost, and `ERR_OPTION` if `rateLimit` has neither `settle: true`
   *   nor `chargeAfter`, before anything changes.
   */
  readonly settle: (cost: Cost) => void;
};

type Settle = RateLimited["settle"];

/**
 * A copy of a decision for handlers; observers have the original. Each property is written out, because a spread with
 * one more property takes microseconds. `settle` is `undefined` if the limiter does not know how to settle the request.
 */
export function rateLimitedBy(decision: Decision, settle: Settle = refuseToSettle): RateLimited {
  const copy = decision.allowed ? allowed(decision, settle) : denied(decision, settle);
  const { shadowDenied, degraded, overflowed, block } = decision;
  if (shadowDenied === undefined && degraded === undefined && overflowed === undefined && block === undefined)
    return copy;
  return { ...decision, ...copy };
}

function allowed(decision: Allowed, settle: Settle): RateLimited & Allowed {
  const { limiter, limit, limits, remaining, limitRemaining, retryAfterMs, resetMs } = decision;
  return { allowed: true, limiter, limit, limits, remaining, limitRemaining, retryAfterMs, resetMs, settle };
}

function denied(decision: Denied, settle: Settle): RateLimited & Denied {
  const { reason, limiter, limit, limits, violated, remaining, limitRemaining } = decision;
  const { retryAfterMs, resetMs, usedAfterRetry } = decision;
  return {
    allowed: false,
    reason,
    limiter,
    limit,
    limits,
    violated,
    remaining,
    limitRemaining,
    retryAfterMs,
    resetMs,
    usedAfterRetry,
    settle,
  };
}

function refuseToSettle(): never {
  throw new TollgateError(
    "ERR_OPTION",
    "settle: expected rateLimit with settle: true, or chargeAfter, got one with neither",
  );
}
