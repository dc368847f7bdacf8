import type { Application } from "../application.ts";
import { healthz } from "../http/health.ts";
import { postRoute } from "../http/post-route.ts";
import { sendJson } from "../http/responses.ts";
import type { Route } from "../http/route-table.ts";
import type { Log } from "../log/log.ts";
import { jsonResponse, parseJsonRequest } from "./json.ts";
import { OVER_LIMIT } from "./messages.ts";
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

/** The same bound as for a request of gRPC. */
const MOST_BODY_BYTES = 256 * 1024;

/** `POST /json`: a request of Envoy's protocol as JSON. 200 or 429, 400 for nonsense, 503 without the store. */
export function jsonRoute(limits: RateLimitDecider): Route {
  return postRoute(MOST_BODY_BYTES, async (text, response) => {
    const decided = await limits.decide(parseJsonRequest(text));
    sendJson(response, decided.overallCode === OVER_LIMIT ? 429 : 200, jsonResponse(decided));
  });
}
