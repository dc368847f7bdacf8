import { createHash, timingSafeEqual } from "node:crypto";
import type { NodeHandler } from "tollgate/node";
import { sendJson } from "../http/responses.ts";
import { asRoute, type Routes } from "../http/route-table.ts";

const SCHEME = /^Bearer +([\w.~+/=-]+)$/i;

/** The same routes, behind the tokens. */
export function onlyWithTokens(tokens: readonly string[] | undefined, routes: Routes): Routes {
  const guarded = Object.entries(routes).map(([path, route]) => {
    const { methods, handler } = asRoute(route);
    return [path, { methods, handler: onlyWithToken(tokens, handler) }] as const;
  });
  return Object.fromEntries(guarded);
}

/** Answers 401 to requests that bring none of the tokens. Without tokens every request passes. */
function onlyWithToken(tokens: readonly string[] | undefined, handler: NodeHandler): NodeHandler {
  if (tokens === undefined) return handler;
  const digests = tokens.map(digestOf);
  return (request, response) => {
    const [, token = ""] = SCHEME.exec(request.headers.authorization ?? "") ?? [];
    if (isOneOf(digests, digestOf(token))) return handler(request, response);
    return sendJson(response, 401, { error: "unauthorized" }, { "www-authenticate": 'Bearer realm="tollgate"' });
  };
}

/** Compares all tokens, each in constant time: the time tells neither which one matched nor how far. */
function isOneOf(digests: readonly Buffer[], digest: Buffer): boolean {
  let found = false;
  for (const one of digests) found = timingSafeEqual(one, digest) || found;
  return found;
}

/** Digests have one length, as `timingSafeEqual` needs. */
function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
