import { firstForwarded } from "./address.ts";
import { endOfQuoted, readRequestLine } from "./common.ts";
import { type Entry, type LogFormat, textOf } from "./entry.ts";
import { StampCache } from "./timestamps.ts";

/**
 * Envoy's own default: `[time] "request" code flags received sent duration upstream "x-forwarded-for" "user agent" "id"
 * "authority" "upstream"`. The client is the first address of X-Forwarded-For.
 */
export class EnvoyFormat implements LogFormat {
  readonly name = "Envoy";
  readonly #stamps = new StampCache();

  read(bytes: Buffer, start: number, end: number, entry: Entry): "request" | "unreadable" {
    const line = textOf(bytes, start, end);
    const close = line.indexOf('] "');
    if (!line.startsWith("[") || close < 0) return "unreadable";
    const timeUs = this.#stamps.timeUs(line, 1, close);
    const requestEnd = endOfQuoted(line, close + 3);
    if (Number.isNaN(timeUs) || requestEnd < 0) return "unreadable";
    const [forwarded, userAgent, , host] = quotedAfter(line, requestEnd + 1, 4);
    if (forwarded === undefined || forwarded === "-") return "unreadable";
    entry.timeUs = timeUs;
    entry.address = firstForwarded(forwarded);
    entry.user = "";
    readRequestLine(line, close + 3, requestEnd, entry);
    entry.host = host ?? "";
    entry.userAgent = userAgent ?? "";
    return "request";
  }
}

function quotedAfter(line: string, from: number, count: number): string[] {
  const texts: string[] = [];
  let start = line.indexOf('"', from);
  while (start >= 0 && texts.length < count) {
    const end = endOfQuoted(line, start + 1);
    if (end < 0) break;
    texts.push(line.slice(start + 1, end));
    start = line.indexOf('"', end + 1);
  }
  return texts;
}
