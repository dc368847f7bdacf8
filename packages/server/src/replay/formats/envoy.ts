import { bytesOf, textOf } from "../bytes.ts";
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
    const text = textOf(line);
    const timeUs = text.startsWith("[") ? isoTimeUs(text.slice(1, text.indexOf('] "'))) : Number.NaN;
    const [request = "", forwarded = "-", userAgent = "", , host = ""] = quotedFrom(text, 5);
    if (Number.isNaN(timeUs) || forwarded === "-") return undefined;
    const details = () => ({ user: "", ...requestOf(request), host, userAgent });
    return { timeUs, address: bytesOf(firstForwarded(forwarded)), details };
  },
};
