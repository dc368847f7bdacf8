import { createServer } from "node:http";
import express, { type RequestHandler } from "express";
import { BODY, DAY_MS, listen, type Servers } from "./listen.ts";

export const SERVERS: Servers = {
  nothing: () => serveBehind(),
  "empty middleware": () => serveBehind((_request, _response, next) => next()),
  "usual limiter": async (limit) => {
    const { rateLimit } = await import("express-rate-limit");
    return serveBehind(rateLimit({ limit, windowMs: DAY_MS }));
  },
  "Tollgate, no headers": async (limit) => serveBehind(await tollgate(limit, { headers: false })),
  Tollgate: async (limit) => serveBehind(await tollgate(limit, {})),
};

function serveBehind(...middleware: readonly RequestHandler[]): Promise<number> {
  const app = express();
  for (const one of middleware) app.use(one);
  app.get("/", (_request, response) => void response.send(BODY));
  return listen(createServer(app));
}

async function tollgate(limit: number, options: { readonly headers?: false }): Promise<RequestHandler> {
  const { createLimiter, perDay } = await import("tollgate");
  const { clientIp, rateLimit } = await import("tollgate/express");
  return rateLimit({ limiter: createLimiter({ key: clientIp(), limits: [perDay(limit)] }), ...options });
}
