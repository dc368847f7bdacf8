import { type Bytes, bytesOf, indexOf, textOf } from "../bytes.ts";
import type { Details, Entry, LogFormat } from "./entry.ts";
import { quotedFrom, requestOf } from "./quoted.ts";
import { CLF_LENGTH, ClfStamps } from "./timestamps.ts";

/**
 * The common and the combined log format of nginx, Apache and others: `address ident user [time] "request" status
 * bytes`, then in the combined one `"referer" "user agent"`. More fields behind are ignored.
 */
export class CommonFormat implements LogFormat {
  readonly name = "common or combined";
  readonly #stamps = new ClfStamps();
  #lastLine: Bytes = bytesOf("");

  read(line: Bytes): Entry | undefined {
    const { buffer, start } = line;
    const addressEnd = indexOf(SPACE, line, start);
    const request = addressEnd <= start ? 0 : endOfQuoted(line, addressEnd) + 1;
    const stamp = request - CLF_LENGTH - 3;
    if (stamp <= addressEnd || buffer[request - 3] !== BRACKET || buffer[request - 2] !== SPACE) return undefined;
    const timeUs = this.#stamps.timeUs(buffer, stamp);
    if (Number.isNaN(timeUs) || endOfQuoted(line, request) < 0) return undefined;
    this.#lastLine = line;
    return { timeUs, address: { buffer, start, end: addressEnd }, details: this.#details };
  }

  /** Reads the last line, because a closure for each line would take as long as reading its time. */
  readonly #details = (): Details => {
    const text = textOf(this.#lastLine);
    const stampEnd = text.indexOf('] "');
    const [request = "", , userAgent = ""] = quotedFrom(text.slice(stampEnd), 3);
    const names = text.slice(0, stampEnd - CLF_LENGTH - 2);
    const identEnd = names.indexOf(" ", names.indexOf(" ") + 1);
    return { user: identEnd < 0 ? "" : names.slice(identEnd + 1), ...requestOf(request), host: "", userAgent };
  };
}

/** Where the first quote from `start` on is; -1 without one. A backslash escapes a quote. */
function endOfQuoted(line: Bytes, start: number): number {
  let end = indexOf(QUOTE, line, start);
  while (end > 0 && line.buffer[end - 1] === BACKSLASH) end = indexOf(QUOTE, line, end + 1);
  return end;
}

const QUOTE = 34;
const BACKSLASH = 92;
const SPACE = 32;
const BRACKET = 93;
