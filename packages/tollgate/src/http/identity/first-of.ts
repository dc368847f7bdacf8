import type { KeyOf } from "./key-of.ts";
import { checkParts, partOf } from "./parts.ts";

/**
 * The first of its parts that names somebody, which is one that is not empty, behind the number of that part: an API key that reads
 * like an address is not the client of that address. `""` where none does.
 *
 * @throws TollgateError `ERR_OPTION` when it is given no part, or one that is no function. The key function throws `ERR_KEY` when
 * a part returns no string.
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
export function firstOf(...parts: KeyOf[]): KeyOf {
  const marked = checkParts("firstOf", parts).map((part, index) => ({ part, mark: `${index}:` }));
  return (facts) => {
    for (const { part, mark } of marked) {
      const key = partOf("firstOf", part, facts);
      if (key !== "") return mark + key;
    }
    return "";
  };
}
