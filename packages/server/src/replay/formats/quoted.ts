import type { Details } from "./entry.ts";

const BACKSLASH = 92;

/** Where the first quote from `start` on is; -1 without one. A backslash escapes a quote. */
export function endOfQuoted(line: string, start: number): number {
  let end = line.indexOf('"', start);
  while (end > 0 && line.charCodeAt(end - 1) === BACKSLASH) end = line.indexOf('"', end + 1);
  return end;
}

/** The texts in quotes of a line from `start` on, at most `count`. */
export function quotedFrom(line: string, start: number, count: number): string[] {
  const texts: string[] = [];
  let from = line.indexOf('"', start) + 1;
  while (from > 0 && texts.length < count) {
    const end = endOfQuoted(line, from);
    if (end < 0) break;
    texts.push(line.slice(from, end));
    from = line.indexOf('"', end + 1) + 1;
  }
  return texts;
}

/** `GET /path HTTP/1.1`. What is not like it, such as the bytes of a TLS handshake, has neither method nor path. */
export function requestOf(text: string): Pick<Details, "method" | "path"> {
  const [method = "", path] = text.split(" ", 2);
  return path === undefined ? { method: "", path: "" } : { method, path };
}
