import type { NodeHandler } from "tollgate/node";
import { sendText } from "../http/responses.ts";
import type { Configuration } from "./configuration.ts";
import type { RateLimits } from "./rate-limits.ts";

/** `GET /rlconfig`: the limits that are loaded. */
export function configurationRoute(limits: RateLimits): NodeHandler {
  return (_request, response) => sendText(response, configurationLines(limits.configuration));
}

/** What is loaded, one line for each limit, as `/rlconfig` of Envoy's service prints it. */
export function configurationLines(configuration: Configuration): string {
  const lines = [...configuration.values()].flatMap((tree) =>
    [...tree.rules()].map(({ path, unit, requestsPerUnit, unlimited, shadow }) => {
      const limit = unlimited
        ? "unlimited"
        : `unit=${unit?.toUpperCase() ?? "UNKNOWN"} requests_per_unit=${requestsPerUnit}`;
      return `${printable(path)}: ${limit}, shadow_mode: ${shadow}\n`;
    }),
  );
  return lines.join("");
}

/** A key of the file may have any characters, also those that end a line. */
function printable(path: string): string {
  return path.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "\u{fffd}");
}
