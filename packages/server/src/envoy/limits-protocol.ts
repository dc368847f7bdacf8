import type { Application } from "../application.ts";
import { healthz } from "../http/health.ts";
import type { Log } from "../log/log.ts";
import { jsonRoute } from "./http-routes.ts";
import type { RateLimitDecider } from "./rate-limit-decider.ts";

/** An application with Envoy's protocol, over gRPC and HTTP. */
export function withEnvoyProtocol(application: Application, limits: RateLimitDecider, log: Log): Application {
  const logError = (error: unknown): void =>
    log({ level: "error", event: "request-failed", text: `a gRPC request failed: ${String(error)}` });
  return {
    ...application,
    routes: { ...application.routes, "/json": jsonRoute(limits), "/healthcheck": healthz(application.health) },
    // gRPC takes long to load.
    listenGrpc: async (address) => {
      const { startGrpcServer } = await import("./grpc-server.ts");
      return startGrpcServer({ ...address, limits, logError });
    },
  };
}
