import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { ListenOptions } from "node:net";
import { manualClock } from "tollgate/testing";
import { onTestFinished } from "vitest";
import { type LimiterSettings, type Limiters, openLimiters } from "../src/limiters.ts";
import { openRoutes } from "../src/routes.ts";

export interface RouteServer {
  readonly server: Server;
  readonly limiters: Limiters;
}

/** The routes on a plain server, with their limiters in the test's hands. */
export async function serveRoutes(settings: Partial<LimiterSettings>, where: ListenOptions): Promise<RouteServer> {
  const limiters = openLimiters({
    capacity: 10,
    refillPerSecond: 1,
    trustProxy: false,
    sweepInterval: 60_000,
    clock: manualClock(),
    log: () => {},
    ...settings,
  });
  const handler = openRoutes(limiters, false, (error) => {
    throw error;
  });
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
