import type { Limits } from "tollgate/config";
import type { Application } from "../application.ts";
import { healthz } from "../http/health.ts";
import type { Log } from "../log/log.ts";
import { jsonRoute } from "./http-routes.ts";
import { LimitsDecider } from "./limits-decider.ts";

/** Envoy's protocol over the limits of limits files, for an application that has them. */
export function withEnvoyProtocol(application: Application, limits: Limits | Limits<"async">, log: Log): Application {
  const decider = new LimitsDecider(limits);
  const logError = (error: unknown): void =>
    log({ level: "error", event: "request-failed", text: `a gRPC request failed: ${String(error)}` });
  return {
    ...application,
    routes: { ...application.routes, "/json": jsonRoute(decider), "/healthcheck": healthz(application.health) },
    // gRPC takes long to load.
    listenGrpc: async (host, port) => {
      const { startGrpcServer } = await import("./grpc-server.ts");
      return startGrpcServer({ host, port, limits: decider, logError });
    },
  };
}
