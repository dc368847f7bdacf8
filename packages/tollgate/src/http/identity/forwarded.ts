import { trimmed } from "./white-space.ts";

/** A parameter: a token, or a quoted string (RFC 7239). No two alternatives begin alike, so matching takes linear time. */
const PAIR = /^([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w-]+)|"((?:[^"\\]|\\.)*)")$/s;
const ESCAPED = /\\(.)/gs;

/**
 * The value of an element's `for`, unquoted; `undefined` where it has none or two, or is malformed. Its parameters may be in any
 * case and any order.
 */
export function forOf(element: string): string | undefined {
  let found: string | undefined;
  for (let end = element.length; end >= 0; ) {
    const start = startOfLastItem(element, end, ";");
    const pair = trimmed(element.slice(start, end));
    end = start - 1;
    if (pair === "") continue;
    const [, name, token, quoted = ""] = PAIR.exec(pair) ?? [];
    if (name === undefined) return undefined;
    if (name.toLowerCase() !== "for") continue;
    if (found !== undefined) return undefined;
    found = token ?? quoted.replace(ESCAPED, "$1");
  }
  return found;
}

/**
 * Where the last item before `end` begins: behind a separator that stands in no quoted string. Read from the right, because what
 * stands on the left is the client's: a quote that it leaves open must not swallow what a proxy has added. Inside a quoted string
 * every quote has a backslash in front of it, and the one that opens it has none.
 */
export function startOfLastItem(text: string, end: number, separator: "," | ";"): number {
  let isQuoted = false;
  for (let i = end - 1; i >= 0; i -= 1) {
    const character = text[i];
    if (character === '"') isQuoted = !isQuoted || text[i - 1] === "\\";
    else if (character === separator && !isQuoted) return i + 1;
  }
  return 0;
}
