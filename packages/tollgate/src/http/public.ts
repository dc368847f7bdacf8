// What every adapter exports beside its own `rateLimit`.

export type { HttpFacts } from "./facts.ts";
export type { GateOptions } from "./gate-options.ts";
export type { HeaderForm } from "./headers.ts";
export { type ClientIpOptions, clientIp } from "./identity/client-ip.ts";
export { compose } from "./identity/compose.ts";
export { cookie } from "./identity/cookie.ts";
export { firstOf } from "./identity/first-of.ts";
export { header } from "./identity/header.ts";
export type { KeyOf } from "./identity/key-of.ts";
export type { TrustProxy } from "./identity/trust.ts";
export type { Outcome } from "./settlement.ts";
