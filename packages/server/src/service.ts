import type { Server } from "node:http";
import { type Clock, systemClock } from "tollgate";
import type { NodeHandler, TrustProxy } from "tollgate/node";
import type { Admin } from "./admin/admin.ts";
import type { AdminSettings } from "./admin/admin-settings.ts";
import type { Family } from "./admin/families.ts";
import type { ServiceMetrics } from "./admin/service-metrics.ts";
import type { Application, GrpcListener } from "./application.ts";
import { LogEvents } from "./dashboard/log-events.ts";
import { type DemoSettings, openDemo } from "./demo/demo.ts";
import type { Certificates, TlsFiles } from "./files/certificates.ts";
import { FilesError } from "./files/read-texts.ts";
import { drainable } from "./http/drain.ts";
import { guarded } from "./http/failure.ts";
import { type Bounds, createGuardedServer, DEFAULT_BOUNDS } from "./http/guarded-server.ts";
import { healthz } from "./http/health.ts";
import { listen } from "./http/listen.ts";
import { RequestIds } from "./http/request-ids.ts";
import { routeTable } from "./http/route-table.ts";
import { trustedPeer } from "./http/trusted-peer.ts";
import type { FollowedLimits } from "./limits/followed-limits.ts";
import type { LimitsSettings } from "./limits/limits-settings.ts";
import type { Peers } from "./limits/peers.ts";
import { logAcceptFailures } from "./log/accept-failures.ts";
import type { Log } from "./log/log.ts";
import { RequestLog } from "./log/request-log.ts";
import { type AdminParts, openAdmin } from "./open-admin.ts";
import { openCertificates } from "./open-certificates.ts";

export interface ServiceSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** What the service is about: limits in files, or its own requests. */
  readonly application: DemoSettings | LimitsSettings;
  /** `undefined`: there is no gRPC listener. */
  readonly grpcPort: number | undefined;
  /** Which proxies may tell a client's address, and the id of a request. */
  readonly trustProxy: TrustProxy;
  readonly maxConnections: number;
  /** How long the head of a request may take, in milliseconds. */
  readonly headersMs: number;
  /** The most lines about denials in ten seconds and limiter. */
  readonly logDenials: number;
  /** Whether requests have ids, on the response and in the log. */
  readonly requestIds: boolean;
  /** `undefined`: there is no admin listener. */
  readonly admin: AdminSettings | undefined;
  /** The certificate of every listener. `undefined`: without TLS. */
  readonly tls: TlsFiles | undefined;
}

export interface ServiceOptions extends ServiceSettings {
  readonly log: Log;
  /** The other processes that serve the port. */
  readonly peers?: Peers;
  /** The limits that the primary process of several has put in force. */
  readonly followed?: FollowedLimits | undefined;
  /** Whether metrics are collected without an admin listener: another process asks for them. */
  readonly measures?: boolean;
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
  /** The gRPC listener's real port. */
  readonly grpcPort: number | undefined;
  /** The metrics, with `measures`. */
  readonly collect?: () => Promise<readonly Family[]>;
  /** Answers what the primary process asks a worker for its operators. */
  readonly answerLead?: (question: unknown) => Promise<unknown>;
  /** Reads limits again that come from files. */
  reload(): void;
  /** Stops accepting connections and lets requests in flight finish. Idempotent. */
  close(): Promise<void>;
}

const GRACE_MS = 10_000;
const SAMPLE_MS = 10_000;

/**
 * Starts the service. It accepts connections when the promise resolves.
 *
 * @throws TollgateError if the numbers do not make a limit; FilesError or LimitsError if the limits files are wrong;
 * ListenError if an address is not available.
 */
export async function startService(given: ServiceOptions): Promise<Service> {
  const events = new LogEvents();
  const options = { ...given, log: events.follow(given.log) };
  const { clock = systemClock, graceMs = GRACE_MS, sampleMs = SAMPLE_MS, log } = options;
  const ids = options.requestIds ? new RequestIds(trustedPeer(options.trustProxy)) : undefined;
  const requestLog = new RequestLog({ log, ids, denials: options.logDenials, intervalMs: sampleMs });
  const certificates = options.tls && (await openCertificates(options.tls, log));
  const application = await openApplication(options, clock, requestLog);
  const handler = guarded(handlerOf(application, ids), (error, request) => requestLog.failed(error, request));
  const server = createGuardedServer(handler, boundsOf(options), certificates);
  const drain = drainable(server);
  let isStopping = false;
  let admin: Admin | undefined;
  let grpc: GrpcListener | undefined;
  let metrics: ServiceMetrics | undefined;
  const close = async (): Promise<void> => {
    requestLog.close();
    await admin?.close();
    metrics?.close();
    certificates?.close();
    await application.close();
  };
  let url: string;
  try {
    metrics = options.measures || options.admin ? await openMetrics(server, application) : undefined;
    const isReady = () => !isStopping;
    admin = metrics && (await openOwnAdmin(options, application, { events, metrics, isReady, tls: certificates }));
    grpc = await openGrpc(options, application, certificates);
    url = await listen(server, { host: options.host, port: options.port, flags: "--" });
  } catch (error) {
    await grpc?.close(0);
    await close();
    throw error;
  }
  logAcceptFailures(server, log, "a connection");
  const stop = async (): Promise<void> => {
    isStopping = true;
    const [drained] = await Promise.all([drain(graceMs), grpc?.close(graceMs)]);
    await close();
    if (drained === "finished") return;
    const text = `tollgate cut off requests that took longer than ${graceMs} ms to finish`;
    log({ level: "warn", event: "cut-off", text, fields: { grace_ms: graceMs } });
  };
  let stopped: Promise<void> | undefined;
  return {
    url,
    adminUrl: admin?.url,
    grpcPort: grpc?.port,
    ...(metrics !== undefined && { collect: metrics.collect }),
    ...(application.answerLead !== undefined && { answerLead: application.answerLead }),
    reload: () => {
      certificates?.reload();
      application.reload?.();
    },
    close: () => (stopped ??= stop()),
  };
}

function handlerOf({ routes, health }: Application, ids: RequestIds | undefined): NodeHandler {
  const handler = routeTable({ ...routes, "/healthz": healthz(health) });
  return ids === undefined ? handler : ids.inFrontOf(handler);
}

function boundsOf({ maxConnections: connections, headersMs, bounds }: ServiceOptions): Bounds {
  // Node refuses a request's time that is shorter than its head's.
  const requestMs = Math.max(DEFAULT_BOUNDS.requestMs, headersMs);
  return { ...DEFAULT_BOUNDS, connections, headersMs, requestMs, ...bounds };
}

/** Limits in files are loaded only if asked for: the demo starts faster without YAML and gRPC. */
async function openApplication(options: ServiceOptions, clock: Clock, requestLog: RequestLog): Promise<Application> {
  const { application, trustProxy, log } = options;
  switch (application.kind) {
    case "demo":
      return openDemo(application, { trustProxy, clock, requestLog });
    case "limits": {
      const { openLimits } = await import("./open-limits.ts");
      const hasOperators = options.admin?.tokens !== undefined;
      const { peers, followed } = options;
      return openLimits(application, { clock, trustProxy, log, requestLog, hasOperators, peers, followed });
    }
    default:
      return application satisfies never;
  }
}

async function openGrpc(
  options: ServiceOptions,
  application: Application,
  certificates: Certificates | undefined,
): Promise<GrpcListener | undefined> {
  const { grpcPort: port, host, maxConnections: connections } = options;
  if (port === undefined) return undefined;
  if (application.listenGrpc !== undefined)
    return application.listenGrpc({ host, port, connections, tls: certificates });
  throw new FilesError("--grpc-port: expected with --limits");
}

/** Loaded only if asked for: prom-client takes longer to load than the rest of the service. */
async function openMetrics(server: Server, application: Application): Promise<ServiceMetrics> {
  const { serviceMetrics } = await import("./admin/service-metrics.ts");
  return serviceMetrics(server, application);
}

function openOwnAdmin(
  { admin, log, clock = systemClock }: ServiceOptions,
  application: Application,
  parts: Pick<AdminParts, "events" | "metrics" | "isReady" | "tls">,
): Promise<Admin | undefined> {
  return openAdmin(admin, application, { ...parts, log, clock, processes: () => ({ ready: 1, of: 1 }) });
}
