import { once } from "node:events";
import type { ServerHttp2Session } from "node:http2";
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { GrpcAddress, GrpcListener } from "../application.ts";
import { ListenError } from "../http/listen.ts";
import type { Tls } from "../http/tls.ts";
import { CallsUnderWay } from "./calls-under-way.ts";
import { GrpcConnection } from "./grpc-connection.ts";
import { HEALTH_PATH, healthMethod } from "./health-method.ts";
import type { RateLimitDecider } from "./rate-limit-decider.ts";
import { RATE_LIMIT_PATH, RATE_LIMIT_SERVICE, rateLimitMethod } from "./rate-limit-method.ts";
import type { CallContext } from "./unary-call.ts";

export interface GrpcServerOptions extends GrpcAddress {
  readonly limits: RateLimitDecider;
  readonly logError: CallContext["logError"];
  readonly bounds?: Partial<GrpcBounds>;
}

/** What clients may make a server keep, on all connections. */
export interface GrpcBounds {
  /**
   * From the head of a call to the end of its message, and from its answer until the client has read that. Envoy waits
   * 20 ms for an answer unless it is told otherwise.
   */
  readonly partMs: number;
  /** How many messages may be under way: 128 MB at most. */
  readonly messages: number;
  /** How many answers may wait for their clients to read them. Each takes some 14 kB. */
  readonly answers: number;
  /** How often a connection gets a ping. */
  readonly pingMs: number;
  /** How long a connection may have no call. */
  readonly idleMs: number;
}

const BOUNDS: GrpcBounds = { partMs: 5_000, messages: 500, answers: 10_000, pingMs: 10_000, idleMs: 300_000 };

/** The name by which Envoy's reference service calls itself in health checks. */
const REFERENCE_NAME = "ratelimit";

/**
 * Serves Envoy's rate limit service and gRPC's health checks.
 *
 * @throws ListenError if the address is not available.
 */
export async function startGrpcServer(options: GrpcServerOptions): Promise<GrpcListener> {
  const { host, port, connections: mostConnections, tls, limits, logError } = options;
  const bounds = { ...BOUNDS, ...options.bounds };
  const connections = new Map<ServerHttp2Session, GrpcConnection>();
  const close = (session: ServerHttp2Session) => connections.get(session)?.destroy();
  let isServing = true;
  const context: CallContext = {
    methods: new Map([
      [RATE_LIMIT_PATH, rateLimitMethod(limits)],
      [HEALTH_PATH, healthMethod([RATE_LIMIT_SERVICE, REFERENCE_NAME], () => isServing)],
    ]),
    arriving: new CallsUnderWay(bounds.messages, bounds.partMs, close),
    answered: new CallsUnderWay(bounds.answers, bounds.partMs, close),
    logError,
  };
  const listener = listenerFor(tls, (socket) => {
    const connection = new GrpcConnection(socket, bounds, context);
    const { session } = connection;
    connections.set(session, connection);
    session.once("close", () => connections.delete(session));
    if (!isServing) session.close();
  });
  listener.maxConnections = mostConnections;
  try {
    listener.listen({ host, port });
    await once(listener, "listening");
  } catch (cause) {
    throw new ListenError(`--grpc-port: expected a free port of ${host}, got ${port}`, { cause });
  }
  const stop = async (graceMs: number): Promise<void> => {
    isServing = false;
    listener.close();
    const open = [...connections.values()];
    const force = setTimeout(() => {
      for (const connection of open) connection.destroy();
    }, graceMs);
    await Promise.all(open.map((connection) => connection.close()));
    clearTimeout(force);
  };
  let stopped: Promise<void> | undefined;
  return { port: (listener.address() as AddressInfo).port, close: (graceMs) => (stopped ??= stop(graceMs)) };
}

function listenerFor(tls: Tls | undefined, take: (socket: Socket) => void): NetServer {
  if (tls === undefined) return createServer({ noDelay: true }, take);
  const listener = createTlsServer({ ...tls.options, ALPNProtocols: ["h2"], noDelay: true }, take);
  tls.follow(listener);
  // Node would keep a connection that has not agreed on a key in time.
  listener.on("tlsClientError", (_error, socket) => void socket.destroy());
  return listener;
}
