import type { Entry, LogFormat } from "./entry.ts";
import { CLF_LENGTH, clfTimeUs, StampCache } from "./timestamps.ts";

/**
 * The common and the combined log format of nginx, Apache and others: `address ident user [time] "request" status
 * bytes`, then in the combined one `"referer" "user agent"`. More fields behind are ignored.
 */
export class CommonFormat implements LogFormat {
  readonly name = "common or combined";
  readonly #stamps = new StampCache(clfTimeUs);

  read(line: string, entry: Entry): "request" | "unreadable" {
    const addressEnd = line.indexOf(" ");
    const open = line.indexOf(" [", addressEnd);
    const close = open + 2 + CLF_LENGTH;
    if (addressEnd <= 0 || open < 0 || !line.startsWith('] "', close)) return "unreadable";
    const timeUs = this.#stamps.timeUs(line, open + 2, close);
    const requestStart = close + 3;
    const requestEnd = endOfQuoted(line, requestStart);
    if (Number.isNaN(timeUs) || requestEnd < 0) return "unreadable";
    entry.timeUs = timeUs;
    entry.address = line.slice(0, addressEnd);
    if (!entry.isWhole) return "request";
    const identEnd = line.indexOf(" ", addressEnd + 1);
    entry.user = identEnd < open ? line.slice(identEnd + 1, open) : "";
    readRequestLine(line, requestStart, requestEnd, entry);
    entry.host = "";
    entry.userAgent = userAgentAfter(line, requestEnd + 1);
    return "request";
  }
}

/** Where the closing quote is; -1 without one. A backslash escapes a quote. */
export function endOfQuoted(line: string, start: number): number {
  let end = line.indexOf('"', start);
  while (end > 0 && line.charCodeAt(end - 1) === BACKSLASH) end = line.indexOf('"', end + 1);
  return end;
}

const BACKSLASH = 92;

/** `GET /path HTTP/1.1`. What is not like it, such as the bytes of a TLS handshake, has neither method nor path. */
export function readRequestLine(line: string, start: number, end: number, entry: Entry): void {
  const methodEnd = line.indexOf(" ", start);
  if (methodEnd < 0 || methodEnd >= end) {
    entry.method = "";
    entry.path = "";
    return;
  }
  const pathEnd = line.indexOf(" ", methodEnd + 1);
  entry.method = line.slice(start, methodEnd);
  entry.path = line.slice(methodEnd + 1, pathEnd < 0 || pathEnd > end ? end : pathEnd);
}

/** The second quoted text of what follows the request. */
function userAgentAfter(line: string, from: number): string {
  const refererStart = line.indexOf('"', from);
  if (refererStart < 0) return "";
  const refererEnd = endOfQuoted(line, refererStart + 1);
  const start = refererEnd < 0 ? -1 : line.indexOf('"', refererEnd + 1);
  const end = start < 0 ? -1 : endOfQuoted(line, start + 1);
  return end < 0 ? "" : line.slice(start + 1, end);
}
