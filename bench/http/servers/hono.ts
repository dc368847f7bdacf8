import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { Hono, type MiddlewareHandler } from "hono";
import { BODY, listen, type Serve } from "./serve.ts";

export const serveBare: Serve = () => serveBehind([]);

export const serveEmpty: Serve = () => serveBehind([(_context, next) => next()]);

export function serveBehind(middleware: readonly MiddlewareHandler[]): Promise<number> {
  const app = new Hono();
  for (const one of middleware) app.use(one);
  app.get("/", (context) => context.text(BODY));
  return listen(createAdaptorServer({ fetch: app.fetch }) as Server);
}
