import { checkFunction } from "../core/checks.ts";
import type { Cost } from "../core/cost.ts";
import type { Outcome } from "./settlement.ts";

/**
 * Makes a `chargeAfter` that counts failures only: a request that succeeded gets back what it took, once its response
 * was sent whole. A client that hangs up before, or a handler that never answers, gets nothing back. Until the response
 * is over, every request counts, so no more requests than the limit are under way at once.
 *
 * @param isSuccess whether a status is one of a success: below 400 by default.
 * @throws TollgateError `ERR_OPTION` unless `isSuccess` is a function.
 * @example
 * ```ts
 * import { createLimiter, slidingWindow } from "tollgate";
 * import { header, rateLimit, refundSuccesses } from "tollgate/fetch";
 *
 * const limits = [slidingWindow({ limit: 2, window: "15m" })];
 * const limiter = createLimiter({ key: header("x-user"), limits });
 * const limit = rateLimit({ limiter, chargeAfter: refundSuccesses((status) => status === 204) });
 * const handle = limit(async (request) => new Response(null, { status: (await request.text()) === "open" ? 204 : 401 }));
 *
 * const statuses: number[] = [];
 * for (const body of ["open", "open", "open", "a", "b", "open"]) {
 *   const headers = { "X-User": "ann" };
 *   statuses.push((await handle(new Request("https://example.com/", { method: "POST", headers, body }))).status);
 *   await new Promise((resolve) => setTimeout(resolve));
 * }
 * console.log(statuses.join(" ")); // 204 204 204 401 401 429
 * ```
 */
export function refundSuccesses(
  isSuccess: (status: number) => boolean = isNoError,
): (request: unknown, outcome: Outcome, taken: Cost) => Cost {
  checkFunction("refundSuccesses", isSuccess, "a function of a status");
  // Status 0: the answer was not seen, so it may have been a failure.
  return (_request, { status, completed }, taken) => (completed && status !== 0 && isSuccess(status) ? 0 : taken);
}

function isNoError(status: number): boolean {
  return status < 400;
}
