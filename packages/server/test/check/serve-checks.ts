import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type AsyncLimiter, createLimiter, type Limiter, perMinute } from "tollgate";
import type { TrustProxy } from "tollgate/node";
import { manualClock } from "tollgate/testing";
import { onTestFinished } from "vitest";
import { checkRoutes } from "../../src/check/check-routes.ts";
import type { CheckedFacts } from "../../src/check/checked-request.ts";
import { routeTable } from "../../src/http/route-table.ts";

export interface ServedChecks {
  readonly url: string;
  readonly server: Server;
  readonly errors: readonly unknown[];
}

interface Checked {
  readonly limiter: Limiter<CheckedFacts> | AsyncLimiter<CheckedFacts>;
  readonly trustProxy?: TrustProxy;
}

/** The routes for proxies on a plain server. */
export async function serveChecks({ limiter, trustProxy = "loopback" }: Checked): Promise<ServedChecks> {
  const errors: unknown[] = [];
  const routes = routeTable(checkRoutes({ limiter, trustProxy, logError: (error) => void errors.push(error) }));
  const server = createServer((request, response) => void routes(request, response));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, errors };
}

/** A limiter of so many requests a minute for each client, and the facts that it was asked about. */
export function perAddress(count: number): { limiter: Limiter<CheckedFacts>; seen: CheckedFacts[] } {
  const seen: CheckedFacts[] = [];
  const key = (facts: CheckedFacts): string => {
    seen.push(facts);
    return facts.header("x-api-key") ?? facts.remoteAddress ?? "none";
  };
  return { limiter: createLimiter({ key, limits: [perMinute(count)], clock: manualClock() }), seen };
}
