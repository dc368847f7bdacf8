import { markKeyMaker } from "../../core/key-maker.ts";
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
export function cookie(name: string): KeyOf {
  const wanted = checkToken("cookie", name, "the name of a cookie");
  return (facts) => shortValue(valueIn(cookiesOf(facts.header("cookie") ?? ""), wanted));
}

markKeyMaker(cookie, 'cookie("session")');

/** The value of a cookie, `""` if it is missing. Undecoded, each spelling of a session would be another key. */
export function valueIn(cookies: ReadonlyMap<string, string>, name: string): string {
  return percentDecoded(cookies.get(name) ?? "");
}

/** The cookies of a `Cookie` header as they are sent: `""` for a name with several values. */
export function cookiesOf(cookies: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let start = 0; start < cookies.length; ) {
    const semicolon = cookies.indexOf(";", start);
    const end = semicolon < 0 ? cookies.length : semicolon;
    const pair = cookies.slice(start, end);
    const equals = pair.indexOf("=");
    if (equals >= 0) {
      const name = trimmed(pair.slice(0, equals));
      const value = unquoted(trimmed(pair.slice(equals + 1)));
      const before = found.get(name);
      // Frameworks differ: some take the first, some the last.
      found.set(name, before === undefined || before === value ? value : "");
    }
    start = end + 1;
  }
  return found;
}

function unquoted(value: string): string {
  const isQuoted = value.length >= 2 && value.startsWith('"') && value.endsWith('"');
  return isQuoted ? value.slice(1, -1) : value;
}
