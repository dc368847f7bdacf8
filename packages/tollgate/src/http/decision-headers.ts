import { systemClock } from "../core/clock.ts";
import type { Decision } from "../core/decision.ts";
import { noteDecision } from "./asked.ts";
import { retryAfterSeconds } from "./denial.ts";
import type { HeaderForm } from "./forms/header-forms.ts";
import type { HeaderList } from "./header-list.ts";
import { RateLimitHeaders } from "./rate-limit-headers.ts";

/** The default form, which keeps the text of the policies that it has written last. */
const DRAFT_11 = /* @__PURE__ */ new RateLimitHeaders("draft-11");

/**
 * The headers of a decision, for servers that no adapter serves: those of the RateLimit forms, and `Retry-After` if the
 * call was denied and may pass later. `headers` is the option of the adapters, `"draft-11"` by default.
 *
 * @throws TollgateError `ERR_OPTION` for forms that do not exist or exclude each other.
 * @example
 * ```ts
 * import { createLimiter, perMinute } from "tollgate";
 * import { rateLimitHeaders } from "tollgate/node";
 *
 * const limiter = createLimiter({ limits: [perMinute(1)] });
 * console.log(rateLimitHeaders(limiter.consume("ann"))[1]); // [ 'RateLimit', '"1-per-1m";r=0;t=60' ]
 * console.log(rateLimitHeaders(limiter.consume("ann")).at(-1)); // [ 'Retry-After', '60' ]
 * ```
 */
export function rateLimitHeaders(
  decision: Decision,
  headers: HeaderForm | readonly HeaderForm[] | false = "draft-11",
): HeaderList {
  const forms = headers === "draft-11" ? DRAFT_11 : new RateLimitHeaders(headers);
  const asked = noteDecision({}, decision, forms.formats, undefined, undefined);
  const list = forms.of(asked, systemClock);
  const seconds = decision.allowed ? null : retryAfterSeconds(asked, 0);
  return seconds === null ? list : [...list, ["Retry-After", String(seconds)]];
}
