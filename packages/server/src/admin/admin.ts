import { type Clock, systemClock } from "tollgate";
import type { NodeHandler } from "tollgate/node";
import { drainable } from "../http/drain.ts";
import { guarded } from "../http/failure.ts";
import { boundFairly, type FairConnections } from "../http/fair-connections.ts";
import { type Bounds, createGuardedServer, DEFAULT_BOUNDS } from "../http/guarded-server.ts";
import { type HealthDetails, healthz, readyz } from "../http/health.ts";
import { listen } from "../http/listen.ts";
import type { OperatorRoutes } from "../http/operator.ts";
import { RequestIds } from "../http/request-ids.ts";
import { type Routes, routeTable } from "../http/route-table.ts";
import type { Tls } from "../http/tls.ts";
import { logAcceptFailures } from "../log/accept-failures.ts";
import type { Log } from "../log/log.ts";
import { RequestLog } from "../log/request-log.ts";
import type { AdminSettings } from "./admin-settings.ts";
import { onlyWithTokens, type TokenCheck, TokenHolders } from "./bearer-tokens.ts";
import { callRate } from "./call-rate.ts";
import { onlyToHosts } from "./host-allowlist.ts";
import { serveMetrics } from "./metrics-route.ts";
import type { Metrics } from "./service-metrics.ts";

export interface AdminOptions extends AdminSettings {
  readonly log: Log;
  readonly isReady: () => boolean;
  /** They need a token if there are tokens. */
  readonly routes: OperatorRoutes;
  readonly health: HealthDetails;
  readonly metrics: Metrics;
  /** `undefined`: without TLS. */
  readonly tls?: Tls | undefined;
  /** Adds the dashboard, if there are tokens. */
  readonly openDashboard?: OpenDashboard | undefined;
  readonly clock?: Clock;
  readonly bounds?: Partial<Bounds>;
}

/** Makes the dashboard, which has sessions in place of tokens. */
export type OpenDashboard = (tokens: TokenCheck, metrics: Metrics) => DashboardRoutes;

export interface DashboardRoutes {
  readonly routes: Routes;
  close(): void;
}

export interface Admin {
  /** With the real port. */
  readonly url: string;
  close(): Promise<void>;
}

/** Operators and a monitoring system need few connections, and send short heads. */
const OPERATORS: Bounds = { ...DEFAULT_BOUNDS, connections: 32, headBytes: 8 * 1024 };
/** More than people and their scripts need. A change may compile thousands of rules. */
const CALLS = { atOnce: 50, perSecond: 10 };
const SAMPLE_MS = 10_000;
/** A scrape that takes longer than this when the service stops is cut off. */
const GRACE_MS = 1_000;

/**
 * Starts the listener for operators: health, readiness and metrics, apart from the port that clients reach.
 *
 * @throws ListenError when the address is not available.
 */
export async function startAdmin(options: AdminOptions): Promise<Admin> {
  const { host, port, log, isReady, bounds, clock = systemClock } = options;
  // Clients choose no ids here: the audit log has them.
  const ids = new RequestIds(() => false);
  const requestLog = new RequestLog({ log, ids, denials: 0, intervalMs: SAMPLE_MS });
  const { tokens, metrics } = options;
  const rate = callRate(clock, CALLS);
  const holders = tokens && new TokenHolders(tokens);
  let connections: FairConnections | undefined;
  const check: TokenCheck = {
    find: (token) => holders?.find(token),
    noteKnown: (request) => connections?.keep(request.socket),
    noteRefused: (request) => requestLog.unauthorized(request),
    waitSeconds: rate.waitSeconds,
  };
  const dashboard = tokens && options.openDashboard?.(check, metrics);
  const guardedRoutes = { ...options.routes, "/metrics": serveMetrics(() => metrics.collect()) };
  const routes: NodeHandler = routeTable({
    "/healthz": healthz(options.health),
    "/readyz": readyz(isReady),
    ...onlyWithTokens({ ...check, hasTokens: tokens !== undefined, ids }, guardedRoutes),
    ...dashboard?.routes,
  });
  const granted = { ...OPERATORS, ...bounds };
  const server = createGuardedServer(
    guarded(ids.inFrontOf(onlyToHosts(options.hosts, routes)), (error, request) => requestLog.failed(error, request)),
    granted,
    options.tls,
  );
  connections = boundFairly(server, granted.connections);
  const drain = drainable(server);
  const url = await listen(server, { host, port, flags: "--admin-" });
  logAcceptFailures(server, log, "an admin connection");
  return {
    url,
    close: async () => {
      // Its pages would not let the listener drain.
      dashboard?.close();
      await drain(GRACE_MS);
      rate.close();
      requestLog.close();
    },
  };
}
