import { createServer } from "node:http";
import express, { type RequestHandler } from "express";
import { BODY, listen, type Serve } from "./serve.ts";

export const serveBare: Serve = () => serveBehind([]);

export const serveEmpty: Serve = () => serveBehind([(_request, _response, next) => next()]);

export function serveBehind(middleware: readonly RequestHandler[]): Promise<number> {
  const app = express();
  for (const one of middleware) app.use(one);
  app.get("/", (_request, response) => void response.send(BODY));
  return listen(createServer(app));
}
