import { createServer } from "node:http";
import express from "express";
import { rateLimit } from "tollgate/express";
import { BODY, DEGRADED, listen, type Serve } from "./serving.ts";

export const serve: Serve = (limiter) => {
  const app = express();
  app.use(rateLimit({ limiter }));
  app.use((request, response) => {
    const degraded = request.rateLimit?.degraded;
    if (degraded !== undefined) response.set(DEGRADED, degraded);
    response.end(BODY);
  });
  return listen(createServer(app));
};
