/**
 * What every adapter exports beside its own `rateLimit` and `factsOf`: the options, the facts of a request, and the
 * functions that make keys of it. The adapters re-export this file as a whole.
 */
export type { HeaderForm } from "./forms/header-forms.ts";
export type { HeaderLines, HttpFacts, KeyOf } from "./http-facts.ts";
export { type ClientIpOptions, clientIp } from "./identity/client-ip.ts";
export { compositeKey, firstOf } from "./identity/composition.ts";
export { cookie } from "./identity/cookie.ts";
export { header } from "./identity/header.ts";
export type { TrustProxy } from "./identity/trust.ts";
export { rateLimitHeaders } from "./rate-limit-headers.ts";
export type { RateLimited } from "./rate-limited.ts";
export { refundSuccesses } from "./refund-successes.ts";
export type { Outcome } from "./settlement.ts";
