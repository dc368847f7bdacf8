import { keyMaker } from "../../core/key-maker.ts";
import type { KeyOf } from "../http-facts.ts";
import { checkToken, hasSeveralLines, shortValue } from "./header-values.ts";

/**
 * Makes a key of a header's value. The header's name may be in any case; a missing header gives `""`, and so do
 * several lines of it, of which the application may read any. More than 256 UTF-16 units become `sha256:` and their
 * hash in hex. Clients choose the value: use only headers that the server verifies, or add `clientIp`.
 *
 * @throws TollgateError `ERR_OPTION` unless the name is the name of a header.
 * @example
 * ```ts
 * import { createLimiter, perMinute } from "tollgate";
 * import { header, type HttpFacts } from "tollgate/node";
 *
 * const limiter = createLimiter({ key: header("X-API-Key"), limits: [perMinute(100)] });
 *
 * const headers = new Headers({ "x-api-key": "k-123" });
 * const facts: HttpFacts = {
 *   method: "GET",
 *   path: "/",
 *   remoteAddress: "192.0.2.1",
 *   header: (name) => headers.get(name) ?? undefined,
 * };
 * console.log(header("X-API-Key")(facts)); // k-123
 * console.log(limiter.consume(facts).remaining); // 99
 * ```
 */
export const header: (name: string) => KeyOf = /* @__PURE__ */ keyMaker('header("x-api-key")', (name) => {
  const wanted = checkToken("header", name, "the name of a header").toLowerCase();
  return (facts) => (hasSeveralLines(facts, wanted) ? "" : shortValue(facts.header(wanted) ?? ""));
});
