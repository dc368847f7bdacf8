import { createServer } from "node:http";
import Koa, { type Middleware } from "koa";
import { BODY, listen, type Servers } from "./listen.ts";

export const SERVERS: Servers = {
  nothing: () => serveBehind(),
  "empty middleware": () => serveBehind((_context, next) => next()),
  "Tollgate, no headers": async (limit) => serveBehind(await tollgate(limit, { headers: false })),
  Tollgate: async (limit) => serveBehind(await tollgate(limit, {})),
};

function serveBehind(...middleware: readonly Middleware[]): Promise<number> {
  const app = new Koa();
  for (const one of middleware) app.use(one);
  app.use((context) => {
    context.body = BODY;
  });
  const handle = app.callback();
  return listen(createServer((request, response) => void handle(request, response)));
}

async function tollgate(limit: number, options: { readonly headers?: false }): Promise<Middleware> {
  const { createLimiter, perDay } = await import("tollgate");
  const { clientIp, rateLimit } = await import("tollgate/koa");
  return rateLimit({ limiter: createLimiter({ key: clientIp(), limits: [perDay(limit)] }), ...options });
}
