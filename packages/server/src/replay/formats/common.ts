import type { Entry, LogFormat } from "./entry.ts";
import { endOfQuoted, quotedFrom, requestOf } from "./quoted.ts";
import { CLF_LENGTH, ClfStamps } from "./timestamps.ts";

/**
 * The common and the combined log format of nginx, Apache and others: `address ident user [time] "request" status
 * bytes`, then in the combined one `"referer" "user agent"`. More fields behind are ignored.
 */
export class CommonFormat implements LogFormat {
  readonly name = "common or combined";
  readonly #stamps = new ClfStamps();

  read(line: string): Entry | undefined {
    const addressEnd = line.indexOf(" ");
    const request = endOfQuoted(line, addressEnd) + 1;
    const stamp = request - CLF_LENGTH - 3;
    if (addressEnd <= 0 || stamp <= addressEnd || !line.startsWith('] "', request - 3)) return undefined;
    const timeUs = this.#stamps.timeUs(line, stamp);
    const requestEnd = endOfQuoted(line, request);
    if (Number.isNaN(timeUs) || requestEnd < 0) return undefined;
    return {
      timeUs,
      address: line.slice(0, addressEnd),
      details: () => {
        const [, userAgent = ""] = quotedFrom(line, requestEnd + 1, 2);
        const names = line.slice(addressEnd + 1, stamp - 2);
        const identEnd = names.indexOf(" ");
        const user = identEnd < 0 ? "" : names.slice(identEnd + 1);
        return { user, ...requestOf(line.slice(request, requestEnd)), host: "", userAgent };
      },
    };
  }
}
