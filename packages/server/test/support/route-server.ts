import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { ListenOptions } from "node:net";
import { manualClock } from "tollgate/testing";
import { onTestFinished } from "vitest";
import { clientKey, type LimiterSettings, type Limiters, openLimiters } from "../../src/demo/limiters.ts";
import { demoRoutes } from "../../src/demo/routes.ts";
import { routeTable } from "../../src/http/route-table.ts";
import { RequestLog } from "../../src/log/request-log.ts";
import { ONE_PER_SECOND } from "./test-service.ts";

export interface RouteServer {
  readonly server: Server;
  readonly limiters: Limiters;
}

/** The routes on a plain server, with their limiters in the test's hands. */
export async function serveRoutes(settings: Partial<LimiterSettings>, where: ListenOptions): Promise<RouteServer> {
  const key = clientKey(false);
  const log = () => {};
  const limiters = openLimiters({
    capacity: 10,
    refill: ONE_PER_SECOND,
    key,
    sweepInterval: 60_000,
    clock: manualClock(),
    ...settings,
  });
  const requestLog = new RequestLog({ log, ids: undefined, denials: 0, intervalMs: 1_000 });
  const handler = routeTable(demoRoutes(limiters, key, requestLog));
  const server = createServer((request, response) => void handler(request, response));
  onTestFinished(() => {
    limiters.close();
    server.close();
    server.closeAllConnections();
  });
  server.listen(where);
  await once(server, "listening");
  return { server, limiters };
}
