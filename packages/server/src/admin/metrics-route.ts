import type { NodeHandler } from "tollgate/node";
import { send } from "../http/responses.ts";
import { type Family, textOf } from "./families.ts";

/** Serves metrics in the text format of Prometheus, 0.0.4. */
export function serveMetrics(collect: () => Promise<readonly Family[]>): NodeHandler {
  // Scrapes that come while one is under way share it, so that many at once cost no more than one.
  let scrape: Promise<string> | undefined;
  return async (_request, response) => {
    scrape ??= collect()
      .then(textOf)
      .finally(() => {
        scrape = undefined;
      });
    send(response, 200, "text/plain; version=0.0.4; charset=utf-8", await scrape);
  };
}
