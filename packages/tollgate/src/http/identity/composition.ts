import { checkFunction } from "../../core/checks.ts";
import { show, TollgateError } from "../../core/errors.ts";
import { keyMaker } from "../../core/key-maker.ts";
import type { HttpFacts, KeyOf } from "../http-facts.ts";

/**
 * Joins all parts to one key. Each part follows its length in UTF-16 units, so that no two lists of parts give the same
 * key. An empty part counts like any other.
 *
 * @throws TollgateError `ERR_OPTION` without a part, or for a part that is not a function. The key function throws
 * `ERR_KEY` when a part returns no string.
 * @example
 * ```ts
 * import { clientIp, compositeKey, header } from "tollgate/node";
 *
 * const key = compositeKey(clientIp(), header("x-tenant"));
 * const request = { method: "GET", path: "/", remoteAddress: "192.0.2.1" };
 * console.log(key({ ...request, header: () => "acme" })); // 9:192.0.2.1,4:acme
 * console.log(key({ ...request, header: () => undefined })); // 9:192.0.2.1,0:
 * ```
 */
export const compositeKey: (...parts: KeyOf[]) => KeyOf = /* @__PURE__ */ keyMaker(
  'compositeKey(clientIp(), header("x-tenant"))',
  (...parts) => {
    const all = checkParts("compositeKey", parts);
    return (facts) => all.map((part) => lengthPrefixed(partOf("compositeKey", part, facts))).join(",");
  },
);

function lengthPrefixed(key: string): string {
  return `${key.length}:${key}`;
}

/**
 * Takes the first part that is not empty. The key begins with that part's index: an API key that reads like an address
 * is not the client of that address. If all parts are empty, the key is `""`.
 *
 * @throws TollgateError `ERR_OPTION` without a part, or for a part that is not a function. The key function throws
 * `ERR_KEY` when a part returns no string.
 * @example
 * ```ts
 * import { clientIp, firstOf, header } from "tollgate/node";
 *
 * const key = firstOf(header("x-api-key"), clientIp());
 * const request = { method: "GET", path: "/", remoteAddress: "192.0.2.1" };
 * console.log(key({ ...request, header: () => "192.0.2.9" })); // 0:192.0.2.9
 * console.log(key({ ...request, header: () => undefined })); // 1:192.0.2.1
 * ```
 */
export const firstOf: (...parts: KeyOf[]) => KeyOf = /* @__PURE__ */ keyMaker(
  'firstOf(header("x-api-key"), clientIp())',
  (...parts) => {
    const marked = checkParts("firstOf", parts).map((part, index) => ({ part, mark: `${index}:` }));
    return (facts) => {
      for (const { part, mark } of marked) {
        const key = partOf("firstOf", part, facts);
        if (key !== "") return mark + key;
      }
      return "";
    };
  },
);

/** @returns a copy of the parts. */
function checkParts(option: string, parts: readonly KeyOf[]): readonly KeyOf[] {
  if (parts.length === 0) {
    throw new TollgateError("ERR_OPTION", `${option}: expected at least one function such as clientIp(), got none`);
  }
  for (const part of parts) checkFunction(option, part, "functions such as clientIp()");
  return [...parts];
}

/** @throws TollgateError `ERR_KEY` when a user's own part returns no string. */
function partOf(option: string, part: KeyOf, facts: HttpFacts): string {
  const key: unknown = part(facts);
  if (typeof key === "string") return key;
  throw new TollgateError("ERR_KEY", `${option}: expected parts that return strings, got ${show(key)}`);
}
