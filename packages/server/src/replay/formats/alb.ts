import { withoutPort } from "./address.ts";
import { endOfQuoted, readRequestLine } from "./common.ts";
import { type Entry, type LogFormat, textOf } from "./entry.ts";
import { StampCache } from "./timestamps.ts";

const TYPES = /^(?:https?|h2|grpcs|wss?) /;

/** AWS Application Load Balancer: `type time elb client:port target:port … "request" "user agent" …`. */
export class AlbFormat implements LogFormat {
  readonly name = "AWS ALB";
  readonly #stamps = new StampCache();

  read(bytes: Buffer, start: number, end: number, entry: Entry): "request" | "unreadable" {
    const line = textOf(bytes, start, end);
    if (!TYPES.test(line)) return "unreadable";
    const typeEnd = line.indexOf(" ");
    const timeEnd = line.indexOf(" ", typeEnd + 1);
    const clientStart = line.indexOf(" ", timeEnd + 1) + 1;
    const clientEnd = line.indexOf(" ", clientStart);
    const requestStart = line.indexOf('"', clientEnd) + 1;
    const requestEnd = requestStart > 0 ? endOfQuoted(line, requestStart) : -1;
    const timeUs = timeEnd < 0 ? Number.NaN : this.#stamps.timeUs(line, typeEnd + 1, timeEnd);
    if (Number.isNaN(timeUs) || clientStart <= 0 || clientEnd < 0 || requestEnd < 0) return "unreadable";
    entry.timeUs = timeUs;
    entry.address = withoutPort(line.slice(clientStart, clientEnd));
    entry.user = "";
    readRequestLine(line, requestStart, requestEnd, entry);
    splitUrl(entry);
    const agentEnd = endOfQuoted(line, requestEnd + 3);
    entry.userAgent = agentEnd < 0 ? "" : line.slice(requestEnd + 3, agentEnd);
    return "request";
  }
}

/** The load balancer logs whole URLs, such as `https://example.com:443/path`. */
function splitUrl(entry: Entry): void {
  const schemeEnd = entry.path.indexOf("://");
  const pathStart = schemeEnd < 0 ? -1 : entry.path.indexOf("/", schemeEnd + 3);
  if (pathStart < 0) {
    entry.host = "";
    return;
  }
  entry.host = withoutPort(entry.path.slice(schemeEnd + 3, pathStart));
  entry.path = entry.path.slice(pathStart);
}
