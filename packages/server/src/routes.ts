import type { IncomingMessage } from "node:http";
import { factsOf, type NodeHandler, rateLimit } from "tollgate/node";
import type { LogFailure } from "./failure.ts";
import type { Limiters } from "./limiters.ts";
import { sendJson, sendText } from "./responses.ts";

/** The service's routes and their limiters. 404 and 405 are not counted. */
export function openRoutes(limiters: Limiters, logError: LogFailure): NodeHandler {
  const perClient = rateLimit({ limiter: limiters.client, logError });
  const perTest = rateLimit({ limiter: limiters.test, logError });
  const routes = new Map<string, NodeHandler>([
    ["/", perClient((_request, response) => sendJson(response, 200, { status: "ok" }))],
    ["/ping", perClient((_request, response) => sendText(response, "pong"))],
    ["/test", perTest((_request, response) => sendText(response, "allowed"))],
  ]);
  return (request, response) => {
    const route = routes.get(pathOf(request));
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
