import type { KeyOf } from "./key-of.ts";
import { checkParts, partOf } from "./parts.ts";

/**
 * All of its parts as one key, each behind its length in UTF-16 units, so that no two lists of parts make the same key. A part
 * that is empty counts as any other.
 *
 * @throws TollgateError `ERR_OPTION` when it is given no part, or one that is no function. The key function throws `ERR_KEY` when
 * a part returns no string.
 * @example
 * ```ts
 * import { clientIp, compose, header } from "tollgate/node";
 *
 * const key = compose(clientIp(), header("x-tenant"));
 * const request = { method: "GET", path: "/", remoteAddress: "192.0.2.1" };
 * console.log(key({ ...request, header: () => "acme" })); // 9:192.0.2.1,4:acme
 * console.log(key({ ...request, header: () => undefined })); // 9:192.0.2.1,0:
 * ```
 */
export function compose(...parts: KeyOf[]): KeyOf {
  const all = checkParts("compose", parts);
  return (facts) => all.map((part) => lengthPrefixed(partOf("compose", part, facts))).join(",");
}

function lengthPrefixed(key: string): string {
  return `${key.length}:${key}`;
}
