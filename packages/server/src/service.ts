import type { Server } from "node:http";
import { type Clock, type Duration, systemClock } from "tollgate";
import type { TrustProxy } from "tollgate/node";
import type { Admin } from "./admin/admin.ts";
import type { AdminSettings } from "./admin/admin-settings.ts";
import { checkRoutes, checkTrust } from "./check/check-routes.ts";
import { clientKey, type Limiters, openLimiters } from "./demo/limiters.ts";
import type { Refill } from "./demo/refill.ts";
import { demoRoutes } from "./demo/routes.ts";
import { drainable } from "./http/drain.ts";
import { guarded } from "./http/failure.ts";
import { type Bounds, createGuardedServer, DEFAULT_BOUNDS } from "./http/guarded-server.ts";
import { listen } from "./http/listen.ts";
import { RequestIds } from "./http/request-ids.ts";
import { routeTable } from "./http/route-table.ts";
import { trustedPeer } from "./http/trusted-peer.ts";
import { clientName } from "./log/client-name.ts";
import type { Log } from "./log/log.ts";
import { RequestLog } from "./log/request-log.ts";

export interface ServiceSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The most requests that a client can make at once. */
  readonly capacity: number;
  /** How fast it gets them back. */
  readonly refill: Refill;
  /** Which proxies may tell a client's address, and the id of a request. */
  readonly trustProxy: TrustProxy;
  readonly sweepInterval: Duration;
  readonly maxConnections: number;
  /** The most lines about denials in ten seconds and limiter. */
  readonly logDenials: number;
  /** Whether requests have ids, on the response and in the log. */
  readonly requestIds: boolean;
  /** `undefined`: there is no admin listener. */
  readonly admin: AdminSettings | undefined;
}

export interface ServiceOptions extends ServiceSettings {
  readonly log: Log;
  readonly clock?: Clock;
  /** How long requests in flight may take to finish once the service stops. */
  readonly graceMs?: number;
  readonly bounds?: Partial<Bounds>;
  /** How long a sample of the log's lines counts. */
  readonly sampleMs?: number;
}

export interface Service {
  /** With the real port. */
  readonly url: string;
  /** The admin listener's URL. */
  readonly adminUrl: string | undefined;
  /** Stops accepting connections and lets requests in flight finish. Idempotent. */
  close(): Promise<void>;
}

const GRACE_MS = 10_000;
const SAMPLE_MS = 10_000;

/**
 * Starts the service. It accepts connections when the promise resolves.
 *
 * @throws TollgateError if the numbers do not make a limit; ListenError if an address is not available.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { clock = systemClock, graceMs = GRACE_MS, sampleMs = SAMPLE_MS, log } = options;
  const key = clientKey(options.trustProxy);
  const ids = options.requestIds ? new RequestIds(trustedPeer(options.trustProxy)) : undefined;
  const requestLog = new RequestLog({ log, ids, denials: options.logDenials, intervalMs: sampleMs });
  const limiters = openLimiters({ ...options, key, clock });
  const checks = checkRoutes({
    limiter: limiters.client,
    trustProxy: checkTrust(options.trustProxy),
    logError: (error, request) => requestLog.failed(error, request),
    noteDenial: (request, denial, facts) => requestLog.denied(request, denial, () => clientName(key(facts())), facts),
  });
  const routes = routeTable(demoRoutes(limiters, key, requestLog), checks);
  const server = createGuardedServer(
    guarded(ids === undefined ? routes : ids.inFrontOf(routes), (error, request) => requestLog.failed(error, request)),
    { ...DEFAULT_BOUNDS, connections: options.maxConnections, ...options.bounds },
  );
  const drain = drainable(server);
  let isStopping = false;
  const admin = await openAdmin(options, server, limiters, () => !isStopping);
  const close = async (): Promise<void> => {
    limiters.close();
    requestLog.close();
    await admin?.close();
  };
  let url: string;
  try {
    url = await listen(server, { host: options.host, port: options.port, flags: "--" });
  } catch (error) {
    await close();
    throw error;
  }
  // Such as a lack of file descriptors for a connection: other connections go on.
  server.on("error", ({ message }) =>
    log({ level: "error", event: "accept-failed", text: `accepting a connection failed: ${message}` }),
  );
  const stop = async (): Promise<void> => {
    isStopping = true;
    const drained = await drain(graceMs);
    await close();
    if (drained === "finished") return;
    const text = `tollgate cut off requests that took longer than ${graceMs} ms to finish`;
    log({ level: "warn", event: "cut-off", text, fields: { grace_ms: graceMs } });
  };
  let stopped: Promise<void> | undefined;
  return { url, adminUrl: admin?.url, close: () => (stopped ??= stop()) };
}

/** Loaded only if asked for: prom-client takes longer to load than the rest of the service. */
async function openAdmin(
  { admin, log }: ServiceOptions,
  server: Server,
  limiters: Limiters,
  isReady: () => boolean,
): Promise<Admin | undefined> {
  if (admin === undefined) return undefined;
  const { startAdmin } = await import("./admin/admin.ts");
  return startAdmin({ ...admin, log, isReady, server, limiters: [limiters.client, limiters.test] });
}
