import { createServer } from "node:http";
import Koa, { type Middleware } from "koa";
import { BODY, listen, type Serve } from "./serve.ts";

export const serveBare: Serve = () => serveBehind([]);

export const serveEmpty: Serve = () => serveBehind([(_context, next) => next()]);

export function serveBehind(middleware: readonly Middleware[]): Promise<number> {
  const app = new Koa();
  for (const one of middleware) app.use(one);
  app.use((context) => {
    context.body = BODY;
  });
  const handle = app.callback();
  return listen(createServer((request, response) => void handle(request, response)));
}
