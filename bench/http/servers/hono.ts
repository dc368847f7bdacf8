import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { Hono, type MiddlewareHandler } from "hono";
import { BODY, DAY_MS, type Framework, listen } from "./framework.ts";

export const FRAMEWORK: Framework<MiddlewareHandler> = {
  async usual(limit) {
    const { rateLimiter } = await import("hono-rate-limiter");
    const keyGenerator = (context: Parameters<typeof getConnInfo>[0]) =>
      getConnInfo(context).remote.address ?? "unknown";
    return rateLimiter({ limit, windowMs: DAY_MS, keyGenerator });
  },
  tollgate: async (options) => (await import("tollgate/hono")).rateLimit(options),
  serve(middleware) {
    const app = new Hono();
    if (middleware !== undefined) app.use(middleware);
    app.get("/", (context) => context.text(BODY));
    return listen(createAdaptorServer({ fetch: app.fetch }) as Server);
  },
};
