import { type Asked, isGivenBefore } from "./asked.ts";
import { EXPOSE, type HeaderList, mergedNames } from "./header-list.ts";
import type { Outgoing } from "./outgoing.ts";

type Named = Readonly<Record<string, unknown>>;

interface Added {
  readonly headers: HeaderList;
  /** The limiter that adds them. */
  readonly asked: Asked | undefined;
}

/**
 * Adds headers to the head of a Node response when it is sent, unless they are set by then. A header that an earlier
 * limiter has set is replaced, and `Access-Control-Expose-Headers` is merged. After a `setHeader`, Node would copy what
 * the handler gives `writeHead` one by one, which costs 1 µs of 16, and keep only one `Set-Cookie` of several.
 */
export function sendWithHead(outgoing: Outgoing, headers: HeaderList, asked: Asked | undefined): void {
  if (headers.length === 0) return;
  const { writeHead } = outgoing;
  const added: Added = { headers, asked };
  // `writeHead(status, reason?, headers?)`.
  outgoing.writeHead = (status, reason, given) =>
    typeof reason === "string"
      ? writeHead.call(outgoing, status, reason, completed(given, added, outgoing))
      : writeHead.call(outgoing, status, completed(given ?? reason, added, outgoing));
}

/** Keeps the form that was given: other code may have replaced `writeHead` by one that takes no list. */
function completed(given: unknown, added: Added, outgoing: Outgoing): unknown {
  if (Array.isArray(given)) return completedList(given, added, outgoing);
  if (typeof given === "object" && given !== null) return completedObject(given as Named, added, outgoing);
  if (outgoing.getHeaderNames().length === 0) return completedObject({}, added, outgoing);
  // Other code has called `setHeader`, so Node copies one by one anyway.
  for (const [name, value] of added.headers) {
    const missing = missingValue(name, value, undefined, added, outgoing);
    if (missing !== undefined) outgoing.setHeader(name, missing);
  }
  return given;
}

function completedObject(given: Named, added: Added, outgoing: Outgoing): Named {
  // V8 gives each copy by `{ ...given }` that more is added to a hidden class of its own, which takes 4 µs.
  const all: Record<string, unknown> = Object.assign({}, given);
  for (const [name, value] of added.headers) {
    const own = Object.keys(given).find((other) => isSame(other, name)) ?? name;
    const missing = missingValue(name, value, all[own], added, outgoing);
    if (missing !== undefined) all[own] = missing;
  }
  return all;
}

/** A list has names and values in turn, or pairs. */
function completedList(given: readonly unknown[], added: Added, outgoing: Outgoing): unknown[] {
  const all = Array.isArray(given[0]) ? given.flat() : [...given];
  const ownCount = all.length;
  for (const [name, value] of added.headers) {
    let at = 0;
    while (at < ownCount && !isSame(all[at], name)) at += 2;
    const missing = missingValue(name, value, at < ownCount ? all[at + 1] : undefined, added, outgoing);
    if (missing === undefined) continue;
    if (at < ownCount) all[at + 1] = missing;
    else all.push(name, missing);
  }
  return all;
}

/** Compares names regardless of case. */
function isSame(other: unknown, name: string): boolean {
  return typeof other === "string" && other.length === name.length && other.toLowerCase() === name.toLowerCase();
}

/** The value to add to what the handler gives and other code has set; `undefined` if theirs stands. */
function missingValue(
  name: string,
  value: string,
  given: unknown,
  { asked }: Added,
  outgoing: Outgoing,
): string | undefined {
  if (name === EXPOSE) return mergedNames((given as string | undefined) ?? outgoing.getHeader(name), value);
  if (given !== undefined) return undefined;
  if (!outgoing.hasHeader(name)) return value;
  return asked !== undefined && isGivenBefore(asked, name, outgoing.getHeader(name)) ? value : undefined;
}
