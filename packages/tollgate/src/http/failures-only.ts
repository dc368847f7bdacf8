import { checkFunction } from "../core/checks.ts";
import type { Cost } from "../core/cost.ts";
import type { Outcome } from "./settlement.ts";

/**
 * Makes a `chargeAfter` that counts failures only: a request whose response was sent whole, with a status that is no
 * failure, gets back what it took. A client that hangs up before, or a handler that never answers, gets nothing back.
 * Until the response is over, every request counts, so no more requests than the limit are under way at once.
 *
 * @param isFailure whether a status counts: from 400 on by default.
 * @throws TollgateError `ERR_OPTION` unless `isFailure` is a function.
 * @example
 * ```ts
 * import { createLimiter, slidingWindow } from "tollgate";
 * import { failuresOnly, header, rateLimit } from "tollgate/fetch";
 *
 * const limits = [slidingWindow({ limit: 2, window: "15m" })];
 * const limiter = createLimiter({ key: header("x-user"), limits });
 * const limit = rateLimit({ limiter, chargeAfter: failuresOnly((status) => status === 401) });
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
export function failuresOnly(
  isFailure: (status: number) => boolean = isError,
): (request: unknown, outcome: Outcome, taken: Cost) => Cost {
  checkFunction("failuresOnly", isFailure, "a function of a status");
  // Status 0: the answer was not seen, so it may have been a failure.
  return (_request, { status, completed }, taken) => (completed && status !== 0 && !isFailure(status) ? 0 : taken);
}

function isError(status: number): boolean {
  return status >= 400;
}
