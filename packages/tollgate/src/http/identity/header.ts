import type { KeyOf } from "./key-of.ts";
import { shortValue } from "./short-value.ts";
import { checkToken } from "./token.ts";

/**
 * The value of a header, by its name in any case: `""` where it is absent. More than 256 UTF-16 units become `sha256:` and their
 * hash in hex. Clients write what they like: limit only by headers whose values somebody checks, or beside `clientIp`.
 *
 * @throws TollgateError `ERR_OPTION` when it is no name of a header.
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
export function header(name: string): KeyOf {
  const field = checkToken("header", name, "the name of a header").toLowerCase();
  return (facts) => shortValue(facts.header(field) ?? "");
}
