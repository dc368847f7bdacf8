import { type Bytes, bytesOf, textOf } from "../bytes.ts";
import type { Entry, LogFormat } from "./entry.ts";
import { isoTimeUs } from "./timestamps.ts";

const FIELDS_MARK = "#Fields:";

/** CloudFront and other W3C extended logs: `#Fields` names the columns, which tabs separate. */
export class CloudFrontFormat implements LogFormat {
  readonly name = "CloudFront";
  #columns = new Map<string, number>();

  read(bytes: Bytes): Entry | "skip" | undefined {
    const line = textOf(bytes);
    if (line.startsWith("#")) {
      if (line.startsWith(FIELDS_MARK)) this.#columns = columnsOf(line);
      return "skip";
    }
    const values = line.split("\t");
    const value = (name: string): string => values[this.#columns.get(name) ?? -1] ?? "";
    const timeUs = isoTimeUs(`${value("date")}T${value("time")}`);
    const address = value("c-ip");
    if (Number.isNaN(timeUs) || address === "") return undefined;
    const details = () => {
      const [stem, query] = [value("cs-uri-stem"), value("cs-uri-query")];
      return {
        user: value("cs-username"),
        method: value("cs-method"),
        path: query === "" || query === "-" ? stem : `${stem}?${query}`,
        host: value("x-host-header") || value("cs(Host)"),
        userAgent: decoded(value("cs(User-Agent)")),
      };
    };
    return { timeUs, address: bytesOf(address), details };
  }
}

function columnsOf(line: string): Map<string, number> {
  const names = line.slice(FIELDS_MARK.length).trim().split(/\s+/);
  return new Map(names.map((name, index) => [name, index]));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
