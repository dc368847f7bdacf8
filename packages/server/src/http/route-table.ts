import type { IncomingMessage } from "node:http";
import { factsOf, type NodeHandler } from "tollgate/node";
import { sendJson } from "./responses.ts";

/** A handler of certain methods. */
export interface Route {
  readonly methods: readonly string[] | "every";
  readonly handler: NodeHandler;
}

/** Routes by path, in which `*` is any one segment. A handler without methods is of GET and HEAD. */
export type Routes = Readonly<Record<string, NodeHandler | Route>>;

const READING = ["GET", "HEAD"];

/** A handler that answers by the table: 404 to unknown paths, 405 to methods that a path does not have. */
export function routeTable(routes: Routes): NodeHandler {
  const byPath = new Map(Object.entries(routes).map(([path, route]) => [path, asRoute(route)]));
  const patterns = [...byPath].flatMap(([path, route]) =>
    path.includes("*") ? [{ segments: path.split("/"), route }] : [],
  );
  return (request, response) => {
    // Most targets are a path.
    const route = byPath.get(request.url ?? "") ?? byPath.get(pathOf(request)) ?? findBy(patterns, request);
    if (route === undefined) return sendJson(response, 404, { error: "not found" });
    const { methods, handler } = route;
    if (methods === "every" || methods.includes(request.method ?? "")) return handler(request, response);
    return sendJson(response, 405, { error: "method not allowed" }, { allow: methods.join(", ") });
  };
}

interface Pattern {
  readonly segments: readonly string[];
  readonly route: Route;
}

function findBy(patterns: readonly Pattern[], request: IncomingMessage): Route | undefined {
  if (patterns.length === 0) return undefined;
  const own = segmentsOf(request);
  return patterns.find(
    ({ segments }) =>
      segments.length === own.length && segments.every((segment, i) => segment === "*" || segment === own[i]),
  )?.route;
}

/** The segments of a request's path, the first of which is empty: `/a/b` is `["", "a", "b"]`. */
export function segmentsOf(request: IncomingMessage): readonly string[] {
  return pathOf(request).split("/");
}

function asRoute(route: NodeHandler | Route): Route {
  return typeof route === "function" ? { methods: READING, handler: route } : route;
}

/** The path, even if the target is a whole URL, which every server must accept (RFC 9112, 3.2.2). */
function pathOf(request: IncomingMessage): string {
  const { path } = factsOf(request);
  return !path.startsWith("/") && URL.canParse(path) ? new URL(path).pathname : path;
}
