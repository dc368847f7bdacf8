import { type Entry, type LogFormat, type Outcome, textOf } from "./entry.ts";
import { StampCache } from "./timestamps.ts";

const FIELDS_MARK = "#Fields:";

/** CloudFront and other W3C extended logs: `#Fields` names the columns, which tabs separate. */
export class CloudFrontFormat implements LogFormat {
  readonly name = "CloudFront";
  readonly #stamps = new StampCache();
  #columns = new Map<string, number>();

  read(bytes: Buffer, start: number, end: number, entry: Entry): Outcome {
    const line = textOf(bytes, start, end);
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
