import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { Hono, type MiddlewareHandler } from "hono";
import { BODY, DAY_MS, listen, type Servers } from "./listen.ts";

export const SERVERS: Servers = {
  nothing: () => serveBehind(),
  "empty middleware": () => serveBehind((_context, next) => next()),
  "usual limiter": async (limit) => {
    const { getConnInfo } = await import("@hono/node-server/conninfo");
    const { rateLimiter } = await import("hono-rate-limiter");
    const keyGenerator = (context: Parameters<MiddlewareHandler>[0]) =>
      getConnInfo(context).remote.address ?? "unknown";
    return serveBehind(rateLimiter({ limit, windowMs: DAY_MS, keyGenerator }));
  },
  "Tollgate, no headers": async (limit) => serveBehind(await tollgate(limit, { headers: false })),
  Tollgate: async (limit) => serveBehind(await tollgate(limit, {})),
};

function serveBehind(...middleware: readonly MiddlewareHandler[]): Promise<number> {
  const app = new Hono();
  for (const one of middleware) app.use(one);
  app.get("/", (context) => context.text(BODY));
  return listen(createAdaptorServer({ fetch: app.fetch }) as Server);
}

async function tollgate(limit: number, options: { readonly headers?: false }): Promise<MiddlewareHandler> {
  const { createLimiter, perDay } = await import("tollgate");
  const { clientIp, rateLimit } = await import("tollgate/hono");
  return rateLimit({ limiter: createLimiter({ key: clientIp(), limits: [perDay(limit)] }), ...options });
}
