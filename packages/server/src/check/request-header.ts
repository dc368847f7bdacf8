import type { IncomingMessage } from "node:http";

/**
 * A header by its name in lower case, as `request.headers` has it. Node builds that object at the first access, of all
 * headers; a check needs few of them, and most have one line.
 */
export function requestHeader(request: IncomingMessage, name: string): string | undefined {
  const { rawHeaders } = request;
  const last = lastLine(rawHeaders, name, rawHeaders.length);
  if (last < 0) return undefined;
  if (lastLine(rawHeaders, name, last) < 0) return rawHeaders[last + 1];
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

/** The value of a header's last line. */
export function lastHeader({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  const at = lastLine(rawHeaders, name, rawHeaders.length);
  return at < 0 ? undefined : rawHeaders[at + 1];
}

/** Where the last line of a header before `end` begins, or -1. Names and values stand in turn. */
function lastLine(rawHeaders: readonly string[], name: string, end: number): number {
  for (let i = end - 2; i >= 0; i -= 2) {
    const other = rawHeaders[i]!;
    if (other.length === name.length && (other === name || other.toLowerCase() === name)) return i;
  }
  return -1;
}
