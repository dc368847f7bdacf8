import type { IncomingMessage } from "node:http";
import { factsOf, type NodeHandler, rateLimit, type TrustProxy } from "tollgate/node";
import { checkRoutes } from "./check/check-routes.ts";
import type { LogFailure } from "./failure.ts";
import type { Limiters } from "./limiters.ts";
import { sendJson, sendText } from "./responses.ts";

/** Loopback unless a flag names the proxies: a check comes from a proxy, on this machine unless another is named. */
const CHECKED_BY: TrustProxy = "loopback";

/** The service's routes and their limiters. 404 and 405 are not counted. */
export function openRoutes(limiters: Limiters, trustProxy: TrustProxy, logError: LogFailure): NodeHandler {
  const perClient = rateLimit({ limiter: limiters.client, logError });
  const perTest = rateLimit({ limiter: limiters.test, logError });
  const routes = new Map<string, NodeHandler>([
    ["/", perClient((_request, response) => sendJson(response, 200, { status: "ok" }))],
    ["/ping", perClient((_request, response) => sendText(response, "pong"))],
    ["/test", perTest((_request, response) => sendText(response, "allowed"))],
  ]);
  const checkedBy = trustProxy === false ? CHECKED_BY : trustProxy;
  const checks = checkRoutes({ limiter: limiters.client, trustProxy: checkedBy, logError });
  return (request, response) => {
    const path = pathOf(request);
    const check = checks.get(path);
    if (check !== undefined) return check(request, response);
    const route = routes.get(path);
    if (route === undefined) return sendJson(response, 404, { error: "not found" });
    if (request.method === "GET" || request.method === "HEAD") return route(request, response);
    return sendJson(response, 405, { error: "method not allowed" }, { allow: "GET, HEAD" });
  };
}

/** The path, even if the target is a whole URL, which every server must accept (RFC 9112, 3.2.2). */
function pathOf(request: IncomingMessage): string {
  const { path } = factsOf(request);
  return !path.startsWith("/") && URL.canParse(path) ? new URL(path).pathname : path;
}
