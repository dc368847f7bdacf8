import { type Address, parseAddress } from "./address.ts";
import { trimmed } from "./header-values.ts";

/** What a header's syntax says about its entries. The nearest hop appends the last one. */
interface ForwardedSyntax {
  /** The index at which the last entry before `end` begins. */
  readonly startOfLast: (value: string, end: number) => number;
  /** The address text of a trimmed entry, if it has one. */
  readonly nodeOf: (entry: string) => string | undefined;
}

const X_FORWARDED_FOR: ForwardedSyntax = {
  // `lastIndexOf` treats the position -1 as 0.
  startOfLast: (value, end) => (end === 0 ? 0 : value.lastIndexOf(",", end - 1) + 1),
  nodeOf: (entry) => entry,
};

const FORWARDED: ForwardedSyntax = {
  startOfLast: (value, end) => startOfLastItem(value, end, ","),
  nodeOf: forOf,
};

const ONE_ADDRESS: ForwardedSyntax = { startOfLast: () => 0, nodeOf: (entry) => entry };

function syntaxOf(header: string): ForwardedSyntax {
  switch (header) {
    case "x-forwarded-for":
      return X_FORWARDED_FOR;
    case "forwarded":
      return FORWARDED;
    default:
      return ONE_ADDRESS;
  }
}

/** Entries and characters further left are not read. */
const MOST_ENTRIES = 100;
const MOST_CHARACTERS = 8_192;

/**
 * A forwarded entry: the address of the hop before, or `"unreadable"`. What stands left of an unreadable entry cannot
 * be attributed to a hop.
 */
export type ForwardedEntry = Address | "unreadable";

/**
 * The entries of a header from right to left: the nearest hop's entry first. An empty entry is unreadable too: what
 * stands left of it may come from the client.
 *
 * @param header the header's name in lower case.
 */
export function* forwardedEntries(header: string, value: string): Generator<ForwardedEntry, undefined> {
  const { startOfLast, nodeOf } = syntaxOf(header);
  const text = value.slice(-MOST_CHARACTERS);
  let end = text.length;
  for (let entriesLeft = MOST_ENTRIES; end >= 0; entriesLeft -= 1) {
    const start = startOfLast(text, end);
    // The first entry of a value that was cut may be incomplete.
    const isWhole = entriesLeft > 0 && (start > 0 || text === value);
    const node = isWhole ? nodeOf(trimmed(text.slice(start, end))) : undefined;
    yield (node === undefined ? undefined : parseAddress(node)) ?? "unreadable";
    end = start - 1;
  }
}

/**
 * A parameter: a token, or a quoted string (RFC 7239). No two alternatives begin alike, so matching takes linear time.
 */
const PAIR = /^([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w-]+)|"((?:[^"\\]|\\.)*)")$/s;
const ESCAPED = /\\(.)/gs;

/**
 * The unquoted `for` parameter of an element. It is `undefined` if the element is malformed, or has no `for` or
 * several. Parameters may be in any case and any order.
 */
function forOf(element: string): string | undefined {
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
 * Where the last item before `end` begins: behind a separator outside of quoted strings. It reads from the right,
 * because the left part comes from the client: a quote that the client leaves open must not swallow what a proxy has
 * appended. A quote inside a quoted string follows a backslash; the opening quote does not.
 */
function startOfLastItem(text: string, end: number, separator: "," | ";"): number {
  let isQuoted = false;
  for (let i = end - 1; i >= 0; i -= 1) {
    const character = text[i];
    if (character === '"') isQuoted = !isQuoted || text[i - 1] === "\\";
    else if (character === separator && !isQuoted) return i + 1;
  }
  return 0;
}
