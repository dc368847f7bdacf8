import { keyMaker } from "../../core/key-maker.ts";
import type { KeyOf } from "../http-facts.ts";
import { checkToken, percentDecoded, shortValue, trimmed } from "./header-values.ts";

/**
 * Makes a key of a cookie's value, without surrounding double quotes (RFC 6265) and percent-decoded, as frameworks read
 * it. The name is case-sensitive. A missing cookie, or several with different values, give `""`. More than 256 UTF-16
 * units become `sha256:` and their hash in hex.
 *
 * @throws TollgateError `ERR_OPTION` unless the name is the name of a cookie.
 * @example
 * ```ts
 * import { cookie } from "tollgate/node";
 *
 * const headers = new Headers({ cookie: 'theme=dark; session="s-42"' });
 * const facts = {
 *   method: "GET",
 *   path: "/",
 *   remoteAddress: "192.0.2.1",
 *   header: (name: string) => headers.get(name) ?? undefined,
 * };
 * console.log(cookie("session")(facts)); // s-42
 * ```
 */
export const cookie: (name: string) => KeyOf = /* @__PURE__ */ keyMaker('cookie("session")', (name) => {
  const wanted = checkToken("cookie", name, "the name of a cookie");
  return (facts) => {
    const values = cookiesOf(facts.header("cookie") ?? "").get(wanted) ?? [];
    // Undecoded, each spelling of a session would be another key.
    return values.length === 1 ? shortValue(percentDecoded(values[0]!)) : "";
  };
});

/** The different values of each cookie of a `Cookie` header, as they are sent: applications may read any of them. */
export function cookiesOf(cookies: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (let start = 0; start < cookies.length; ) {
    const semicolon = cookies.indexOf(";", start);
    const end = semicolon < 0 ? cookies.length : semicolon;
    const pair = cookies.slice(start, end);
    const equals = pair.indexOf("=");
    if (equals >= 0) {
      addValue(found, trimmed(pair.slice(0, equals)), unquoted(trimmed(pair.slice(equals + 1))));
    }
    start = end + 1;
  }
  return found;
}

/** More values of a name are not compared: a client could slow down all requests by them. */
export const MOST_VALUES = 16;

/** Adds a value to those of its name, each once. One beyond `MOST_VALUES` tells that there are too many. */
export function addValue(values: Map<string, string[]>, name: string, value: string): void {
  const known = values.get(name);
  if (known === undefined) values.set(name, [value]);
  else if (known.length <= MOST_VALUES && !known.includes(value)) known.push(value);
}

function unquoted(value: string): string {
  const isQuoted = value.length >= 2 && value.startsWith('"') && value.endsWith('"');
  return isQuoted ? value.slice(1, -1) : value;
}
