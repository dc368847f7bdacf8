import type { Entry, LogFormat } from "./entry.ts";
import { isoTimeUs, StampCache } from "./timestamps.ts";

const FIELDS_MARK = "#Fields:";

/** CloudFront and other W3C extended logs: `#Fields` names the columns, which tabs separate. */
export class CloudFrontFormat implements LogFormat {
  readonly name = "CloudFront";
  readonly #stamps = new StampCache(isoTimeUs);
  #columns = new Map<string, number>();

  read(line: string, entry: Entry): "request" | "skip" | "unreadable" {
    if (line.startsWith("#")) {
      if (line.startsWith(FIELDS_MARK)) this.#columns = columnsOf(line);
      return "skip";
    }
    const values = line.split("\t");
    const value = (name: string): string => values[this.#columns.get(name) ?? -1] ?? "";
    const stamp = `${value("date")}T${value("time")}`;
    const timeUs = this.#stamps.timeUs(stamp, 0, stamp.length);
    const address = value("c-ip");
    if (Number.isNaN(timeUs) || address === "") return "unreadable";
    const query = value("cs-uri-query");
    entry.timeUs = timeUs;
    entry.address = address;
    entry.user = value("cs-username");
    entry.method = value("cs-method");
    entry.path = query === "" || query === "-" ? value("cs-uri-stem") : `${value("cs-uri-stem")}?${query}`;
    entry.host = value("x-host-header") || value("cs(Host)");
    entry.userAgent = decoded(value("cs(User-Agent)"));
    return "request";
  }
}

function columnsOf(line: string): Map<string, number> {
  const names = line.slice(FIELDS_MARK.length).trim().split(/\s+/);
  return new Map(names.map((name, index) => [name, index]));
}

function decoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
