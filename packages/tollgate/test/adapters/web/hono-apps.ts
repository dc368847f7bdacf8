import { type ClientHttp2Session, createServer } from "node:http2";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import type { Limiter } from "tollgate";
import { type HttpFacts, type RateLimitOptions, rateLimit } from "tollgate/hono";
import { bucketOf, manualLimiter } from "../suite/case.ts";
import { sessionWith, urlOf } from "../suite/node-server.ts";

/** Serves an application until the test has finished. */
export function listen(app: Hono): Promise<string> {
  return urlOf(createAdaptorServer({ fetch: app.fetch }));
}

/** A connection over HTTP/2 to an application, until the test has finished. */
export function sessionWithApp(app: Hono): Promise<ClientHttp2Session> {
  return sessionWith(createAdaptorServer({ fetch: app.fetch, createServer }));
}

export function bucketLimiter(capacity: number): Limiter<HttpFacts> {
  return manualLimiter([bucketOf(capacity)]).limiter;
}

/** An application with one route, `/`, behind a limiter. */
export function limitedApp(options: RateLimitOptions<HttpFacts> & { readonly input?: never }): Hono {
  const app = new Hono();
  app.use(rateLimit(options));
  app.get("/", (context) => context.text("hello"));
  app.onError((error, context) => context.text(error.message, 500));
  return app;
}

/** Two ways of calling an application: over a socket of Node, and without a server. */
export const WAYS: readonly (readonly [string, (app: Hono, path: string) => Promise<Response>])[] = [
  ["on Node", async (app, path) => fetch((await listen(app)) + path, { redirect: "manual" })],
  ["without a server", async (app, path) => app.request(path)],
];
