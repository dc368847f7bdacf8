import type { Limits } from "tollgate/config";
import type { Application } from "../application.ts";
import { healthz } from "../http/health.ts";
import type { RecentRequests } from "../limits/recent-requests.ts";
import type { Log } from "../log/log.ts";
import { jsonRoute } from "./http-routes.ts";
import { LimitsDecider } from "./limits-decider.ts";

export interface LimitsOfFiles extends Application {
  readonly limits: Limits | Limits<"async">;
  readonly recent: RecentRequests | undefined;
}

/** Envoy's protocol over the limits of limits files, for an application that has them. */
export function withEnvoyProtocol(application: LimitsOfFiles, log: Log): Application {
  const decider = new LimitsDecider(application.limits, application.recent);
  const logError = (error: unknown): void =>
    log({ level: "error", event: "request-failed", text: `a gRPC request failed: ${String(error)}` });
  return {
    ...application,
    routes: { ...application.routes, "/json": jsonRoute(decider), "/healthcheck": healthz(application.health) },
    // gRPC takes long to load.
    listenGrpc: async (address) => {
      const { startGrpcServer } = await import("./grpc-server.ts");
      return startGrpcServer({ ...address, limits: decider, logError });
    },
  };
}
