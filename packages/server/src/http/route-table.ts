import type { IncomingMessage } from "node:http";
import { factsOf, type NodeHandler } from "tollgate/node";
import { sendJson } from "./responses.ts";

/** Handlers by path. */
export type Routes = Readonly<Record<string, NodeHandler>>;

/**
 * A handler that answers by the tables: 404 to unknown paths, 405 to methods other than GET and HEAD. The handlers of
 * `everyMethod`, by path, get all methods.
 */
export function routeTable(routes: Routes, everyMethod: Routes = {}): NodeHandler {
  const handlers = new Map(Object.entries(routes));
  const others = new Map(Object.entries(everyMethod));
  return (request, response) => {
    const path = pathOf(request);
    const other = others.get(path);
    if (other !== undefined) return other(request, response);
    const handler = handlers.get(path);
    if (handler === undefined) return sendJson(response, 404, { error: "not found" });
    if (request.method === "GET" || request.method === "HEAD") return handler(request, response);
    return sendJson(response, 405, { error: "method not allowed" }, { allow: "GET, HEAD" });
  };
}

/** The path, even if the target is a whole URL, which every server must accept (RFC 9112, 3.2.2). */
export function pathOf(request: IncomingMessage): string {
  const { path } = factsOf(request);
  return !path.startsWith("/") && URL.canParse(path) ? new URL(path).pathname : path;
}
