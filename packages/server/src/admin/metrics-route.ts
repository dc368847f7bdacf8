import type { NodeHandler } from "tollgate/node";
import { send } from "../http/responses.ts";
import { formatFor } from "./exposition/accepted-format.ts";
import { type Family, OPEN_METRICS, TEXT } from "./exposition/exposition.ts";

/** Serves metrics, as OpenMetrics if the client prefers it. */
export function serveMetrics(collect: () => Promise<readonly Family[]>): NodeHandler {
  // Scrapes that come while one is under way share it, so that many at once cost no more than one.
  let scrape: Promise<readonly Family[]> | undefined;
  const families = (): Promise<readonly Family[]> => {
    scrape ??= collect().finally(() => {
      scrape = undefined;
    });
    return scrape;
  };
  return async (request, response) => {
    const format = formatFor(request.headers.accept) === "openmetrics" ? OPEN_METRICS : TEXT;
    send(response, 200, format.contentType, format.write(await families()));
  };
}
