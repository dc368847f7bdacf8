import { type Entry, type LogFormat, textOf } from "./entry.ts";
import { CLF_LENGTH, ClfStamps } from "./timestamps.ts";

const [SPACE, QUOTE, COLON, OPEN, CLOSE, BACKSLASH] = [32, 34, 58, 91, 93, 92];

/**
 * The common and the combined log format of nginx, Apache and others: `address ident user [time] "request" status
 * bytes`, then in the combined one `"referer" "user agent"`. More fields behind are ignored.
 */
export class CommonFormat implements LogFormat {
  readonly name = "common or combined";
  readonly #stamps = new ClfStamps();

  read(bytes: Buffer, start: number, end: number, entry: Entry): "request" | "unreadable" {
    const addressEnd = indexOf(bytes, SPACE, start, end);
    const open = indexAfter(bytes, OPEN, addressEnd, end, (before) => before === SPACE);
    const close = open + 1 + CLF_LENGTH;
    if (addressEnd === start || close + 3 > end || bytes[close] !== CLOSE) return "unreadable";
    if (bytes[close + 1] !== SPACE || bytes[close + 2] !== QUOTE) return "unreadable";
    const timeUs = this.#stamps.timeUs(bytes, open + 1);
    const requestEnd = indexAfter(bytes, QUOTE, close + 3, end, (before) => before !== BACKSLASH);
    if (Number.isNaN(timeUs) || requestEnd === end) return "unreadable";
    entry.timeUs = timeUs;
    const hasColon = indexOf(bytes, COLON, start, addressEnd) < addressEnd;
    // An IPv6 address has several spellings, which text tells to be one.
    entry.addressEnd = hasColon ? 0 : addressEnd;
    if (hasColon && !entry.isWhole) entry.address = textOf(bytes, start, addressEnd);
    if (entry.isWhole) readRest(textOf(bytes, start, end), entry, addressEnd - start, open - start, requestEnd - start);
    return "request";
  }
}

/** The first place of a byte; `end` without one. */
function indexOf(bytes: Buffer, byte: number, start: number, end: number): number {
  let at = start;
  while (at < end && bytes[at] !== byte) at += 1;
  return at;
}

/** The first place of a byte that follows such a one; `end` without one. */
function indexAfter(
  bytes: Buffer,
  byte: number,
  start: number,
  end: number,
  follows: (before: number) => boolean,
): number {
  let at = indexOf(bytes, byte, start, end);
  while (at < end && !follows(bytes[at - 1]!)) at = indexOf(bytes, byte, at + 1, end);
  return at;
}

function readRest(line: string, entry: Entry, addressEnd: number, open: number, requestEnd: number): void {
  entry.address = line.slice(0, addressEnd);
  const identEnd = line.indexOf(" ", addressEnd + 1);
  entry.user = identEnd < open - 1 ? line.slice(identEnd + 1, open - 1) : "";
  readRequestLine(line, open + CLF_LENGTH + 4, requestEnd, entry);
  entry.host = "";
  entry.userAgent = userAgentAfter(line, requestEnd + 1);
}

/** Where the closing quote is; -1 without one. A backslash escapes a quote. */
export function endOfQuoted(line: string, start: number): number {
  let end = line.indexOf('"', start);
  while (end > 0 && line.charCodeAt(end - 1) === BACKSLASH) end = line.indexOf('"', end + 1);
  return end;
}

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
