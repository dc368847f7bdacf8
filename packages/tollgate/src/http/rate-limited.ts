import type { Cost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";

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
