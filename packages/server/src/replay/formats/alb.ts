import { bytesOf, textOf } from "../bytes.ts";
import { withoutPort } from "./address.ts";
import type { Entry, LogFormat } from "./entry.ts";
import { quotedFrom, requestOf } from "./quoted.ts";
import { isoTimeUs } from "./timestamps.ts";

const TYPES = /^(?:https?|h2|grpcs|wss?)$/;
/** The load balancer logs whole URLs, such as `https://example.com:443/path`. */
const URL = /^[a-z]+:\/\/([^/]+)(\/.*)/s;

/** AWS Application Load Balancer: `type time elb client:port target:port … "request" "user agent" …`. */
export const ALB: LogFormat = {
  name: "AWS ALB",
  read(bytes): Entry | undefined {
    const line = textOf(bytes);
    const [type = "", time = "", , client = ""] = line.split(" ", 4);
    const [request, userAgent = ""] = quotedFrom(line, 2);
    const timeUs = isoTimeUs(time);
    if (!TYPES.test(type) || Number.isNaN(timeUs) || client === "" || request === undefined) return undefined;
    const details = () => {
      const { method, path: url } = requestOf(request);
      const [, host = "", path = url] = URL.exec(url) ?? [];
      return { user: "", method, path, host: withoutPort(host), userAgent };
    };
    return { timeUs, address: bytesOf(withoutPort(client)), details };
  },
};
