import { firstForwarded } from "./address.ts";
import type { Entry, LogFormat } from "./entry.ts";
import { quotedFrom, requestOf } from "./quoted.ts";
import { isoTimeUs } from "./timestamps.ts";

/**
 * Envoy's own default: `[time] "request" code flags received sent duration upstream "x-forwarded-for" "user agent" "id"
 * "authority" "upstream"`. The client is the first address of X-Forwarded-For.
 */
export const ENVOY: LogFormat = {
  name: "Envoy",
  read(line): Entry | undefined {
    const close = line.indexOf('] "');
    const timeUs = line.startsWith("[") ? isoTimeUs(line.slice(1, close)) : Number.NaN;
    const [request = "", forwarded = "-", userAgent = "", , host = ""] = quotedFrom(line, close, 5);
    if (Number.isNaN(timeUs) || forwarded === "-") return undefined;
    const details = () => ({ user: "", ...requestOf(request), host, userAgent });
    return { timeUs, address: firstForwarded(forwarded), details };
  },
};
