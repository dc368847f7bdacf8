import { once } from "node:events";
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { logVerbosity, Server, ServerCredentials, setLogVerbosity } from "@grpc/grpc-js";
import type { GrpcAddress, GrpcListener } from "../application.ts";
import { ListenError } from "../http/listen.ts";
import type { Tls } from "../http/tls.ts";
import { boundCalls, CALL_BOUNDS, type CallBounds } from "./bounded-calls.ts";
import { HealthService } from "./health-service.ts";
import type { RateLimitDecider } from "./rate-limit-decider.ts";
import { type LogError, RATE_LIMIT_SERVICE, rateLimitDefinition, shouldRateLimit } from "./rate-limit-service.ts";

export interface GrpcServerOptions extends GrpcAddress {
  readonly limits: RateLimitDecider;
  readonly logError: LogError;
  /** How often each connection gets a ping. */
  readonly pingMs?: number;
  readonly callBounds?: Partial<CallBounds>;
}

/**
 * What a client can make this service keep. Envoy accepts heads of 60 KiB: four descriptors with all of one fit.
 * Messages that are under way have 128 MB at most, by `CALL_BOUNDS`.
 */
const BOUNDS = {
  "grpc.max_receive_message_length": 256 * 1024,
  "grpc.max_concurrent_streams": 1_000,
  // A connection without a call ends after five minutes.
  "grpc.max_connection_idle_ms": 300_000,
  // Statistics of each connection and each call, which this service does not serve.
  "grpc.enable_channelz": 0,
};

/**
 * After a frame of a wrong size, Node reads no more of its connection, and does not notice that the client has gone.
 * The session emits no event. So only a ping without an answer tells.
 */
const PING_MS = 10_000;
/** The most time for the answer. */
const PONG_MS = 10_000;

/** The name by which Envoy's reference service calls itself in health checks. */
const REFERENCE_NAME = "ratelimit";

/**
 * Serves Envoy's rate limit service and gRPC's health checks.
 *
 * @throws ListenError if the address is not available.
 */
export async function startGrpcServer(options: GrpcServerOptions): Promise<GrpcListener> {
  const { host, port, connections, tls, limits, logError, pingMs = PING_MS, callBounds } = options;
  // It writes lines of its own about headers that clients send, as many as they send. What fails here has its own log.
  setLogVerbosity(logVerbosity.NONE);
  const connectionsByPeer = new Map<string, Socket>();
  const server = new Server({
    ...BOUNDS,
    interceptors: [boundCalls({ ...CALL_BOUNDS, ...callBounds }, (peer) => connectionsByPeer.get(peer)?.destroy())],
    "grpc.keepalive_time_ms": pingMs,
    "grpc.keepalive_timeout_ms": Math.min(pingMs, PONG_MS),
  });
  const health = new HealthService([RATE_LIMIT_SERVICE, REFERENCE_NAME]);
  server.addService(rateLimitDefinition(), { ShouldRateLimit: shouldRateLimit(limits, logError) });
  server.addService(health.definition, health.implementation);
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  // Ours, because that of grpc-js accepts any number of connections.
  const listener = listenerFor(tls, (socket) => {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    connectionsByPeer.set(peer, socket);
    socket.once("close", () => connectionsByPeer.delete(peer));
    injector.injectConnection(socket);
  });
  listener.maxConnections = connections;
  try {
    listener.listen({ host, port });
    await once(listener, "listening");
  } catch (cause) {
    throw new ListenError(`--grpc-port: expected a free port of ${host}, got ${port}`, { cause });
  }
  const stop = (graceMs: number): Promise<void> => {
    health.stop();
    listener.close();
    return new Promise((resolve) => {
      const force = setTimeout(() => server.forceShutdown(), graceMs);
      server.tryShutdown(() => {
        clearTimeout(force);
        resolve();
      });
    });
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
