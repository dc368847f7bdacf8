import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from "node:http";
import { createLimiter, perMinute } from "tollgate";
import { manualClock } from "tollgate/testing";
import { onTestFinished } from "vitest";
import { checkRoutes } from "../../packages/server/src/check/check-routes.ts";
import type { CheckedFacts } from "../../packages/server/src/check/checked-request.ts";
import { createGuardedServer, DEFAULT_BOUNDS } from "../../packages/server/src/http/guarded-server.ts";
import { routeTable } from "../../packages/server/src/http/route-table.ts";

/** What a limiter in the test's process has been asked. */
export interface AskedLimiter {
  /** The facts of each check. */
  readonly facts: CheckedFacts[];
  /** The checks themselves. */
  readonly asked: { readonly method: string | undefined; readonly headers: IncomingHttpHeaders }[];
  connections: number;
  /** Bytes that were sent as bodies of checks. */
  bodyBytes: number;
}

/** Proxies connect from this address, and clients of the tests have others. */
const PROXY_ADDRESS = "127.0.0.1";

/** Serves checks of so many requests a minute for each API key, or else for each address. */
export async function serveLimiter(port: number, count: number): Promise<AskedLimiter> {
  const seen: AskedLimiter = { facts: [], asked: [], connections: 0, bodyBytes: 0 };
  const key = (facts: CheckedFacts): string => {
    seen.facts.push(facts);
    return facts.header("x-api-key") ?? facts.remoteAddress ?? "none";
  };
  const limiter = createLimiter({ key, limits: [perMinute(count)], clock: manualClock() });
  const routes = routeTable(checkRoutes({ limiter, trustProxy: [PROXY_ADDRESS], logError: () => {} }));
  // The server of the service, with its bounds.
  const server = createGuardedServer((request, response) => {
    seen.asked.push({ method: request.method, headers: request.headers });
    request.on("data", (chunk: Buffer) => {
      seen.bodyBytes += chunk.length;
    });
    void routes(request, response);
  }, DEFAULT_BOUNDS);
  server.on("connection", () => {
    seen.connections += 1;
  });
  await listen(server, port);
  return seen;
}

/** Serves a limiter that answers as the listener does. */
export async function serveInstead(port: number, listener: RequestListener): Promise<void> {
  await listen(createServer(listener), port);
}

async function listen(server: Server, port: number): Promise<void> {
  onTestFinished(async () => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
}
