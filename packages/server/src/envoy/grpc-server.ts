import { logVerbosity, Server, ServerCredentials, setLogVerbosity } from "@grpc/grpc-js";
import { ListenError } from "../http/listen.ts";
import { HealthService } from "./health-service.ts";
import type { RateLimitDecider } from "./rate-limit-decider.ts";
import { type LogError, RATE_LIMIT_SERVICE, rateLimitDefinition, shouldRateLimit } from "./rate-limit-service.ts";

export interface GrpcServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly limits: RateLimitDecider;
  readonly logError: LogError;
}

export interface GrpcServer {
  readonly port: number;
  /** Answers the calls that are under way, up to a time, and accepts no more. Idempotent. */
  close(graceMs: number): Promise<void>;
}

/** What a client can make this service keep. A request of a hundred descriptors has about ten kilobytes. */
const BOUNDS = {
  "grpc.max_receive_message_length": 64 * 1024,
  "grpc.max_concurrent_streams": 1_000,
  "grpc.max_metadata_size": 8 * 1024,
  // A connection without a call ends after five minutes. One that does not answer a ping ends after ten seconds more.
  "grpc.max_connection_idle_ms": 300_000,
  "grpc.keepalive_time_ms": 60_000,
  "grpc.keepalive_timeout_ms": 10_000,
};

/** The name by which Envoy's reference service calls itself in health checks. */
const REFERENCE_NAME = "ratelimit";

/**
 * Serves Envoy's rate limit service and gRPC's health checks, without TLS.
 *
 * @throws ListenError if the address is not available.
 */
export async function startGrpcServer({ host, port, limits, logError }: GrpcServerOptions): Promise<GrpcServer> {
  // It writes lines of its own about headers that clients send, as many as they send. What fails here has its own log.
  setLogVerbosity(logVerbosity.NONE);
  const server = new Server(BOUNDS);
  const health = new HealthService([RATE_LIMIT_SERVICE, REFERENCE_NAME]);
  server.addService(rateLimitDefinition(), { ShouldRateLimit: shouldRateLimit(limits, logError) });
  server.addService(health.definition, health.implementation);
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, actual) => {
      if (error === null) resolve(actual);
      else reject(new ListenError(`--grpc-port: expected a free port of ${host}, got ${port}`, { cause: error }));
    });
  });
  const stop = (graceMs: number): Promise<void> => {
    health.stop();
    return new Promise((resolve) => {
      const force = setTimeout(() => server.forceShutdown(), graceMs);
      server.tryShutdown(() => {
        clearTimeout(force);
        resolve();
      });
    });
  };
  let stopped: Promise<void> | undefined;
  return { port: bound, close: (graceMs) => (stopped ??= stop(graceMs)) };
}
