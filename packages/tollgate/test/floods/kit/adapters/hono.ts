import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { rateLimit } from "tollgate/hono";
import { BODY, DEGRADED, listen, type Serve } from "./serving.ts";

export const serve: Serve = (limiter) => {
  const app = new Hono();
  app.use(rateLimit({ limiter }));
  app.all("/*", (context) => {
    const degraded = context.get("rateLimit")?.degraded;
    if (degraded !== undefined) context.header(DEGRADED, degraded);
    return context.text(BODY);
  });
  return listen(createAdaptorServer({ fetch: app.fetch }) as Server);
};
