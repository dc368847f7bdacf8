import type { Clock } from "tollgate";
import type { Application } from "../application.ts";
import { healthz } from "../http/health.ts";
import { LimiterSet } from "../limiter-set.ts";
import { LimitsFiles } from "../limits/limits-files.ts";
import { limitsHealth } from "../limits/limits-health.ts";
import type { LimitsSettings } from "../limits/limits-settings.ts";
import { openStore } from "../limits/store.ts";
import type { Log } from "../log/log.ts";
import { readConfiguration } from "./configuration.ts";
import { configurationLines } from "./configuration-lines.ts";
import { startGrpcServer } from "./grpc-server.ts";
import { configurationRoute, jsonRoute } from "./http-routes.ts";
import { RateLimits } from "./rate-limits.ts";
import { readWithoutBlocking } from "./read-in-thread.ts";

/**
 * Opens the limits of Envoy's files, over gRPC and HTTP.
 *
 * @throws FilesError, LimitsError or TollgateError, before anything is left open.
 */
export async function openEnvoyApplication(settings: LimitsSettings, clock: Clock, log: Log): Promise<Application> {
  const { path, shadow } = settings;
  const files = await LimitsFiles.open({
    path,
    compile: readConfiguration,
    recompile: readWithoutBlocking,
    replace: (configuration) => limits.replace(configuration),
    log,
  });
  const { store, close } = await openStore(settings, log);
  const limits = new RateLimits({ store, clock, configuration: files.first, shadow });
  const logError = (error: unknown): void =>
    log({ level: "error", event: "request-failed", text: `a gRPC request failed: ${String(error)}` });
  const limitsStatus = () => files.status;
  const health = limitsHealth(limitsStatus);
  return {
    routes: { "/json": jsonRoute(limits), "/healthcheck": healthz(health) },
    adminRoutes: { "/rlconfig": configurationRoute(limits) },
    // The one question that operators have.
    answerLead: async () => configurationLines(limits.configuration),
    limiters: new LimiterSet([limits.limiter]),
    health,
    limitsStatus,
    listenGrpc: (address) => startGrpcServer({ ...address, limits, logError }),
    reload: () => files.reload(),
    close: async () => {
      files.close();
      await close();
    },
  };
}
