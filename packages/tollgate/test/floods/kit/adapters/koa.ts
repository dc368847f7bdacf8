import { createServer } from "node:http";
import Koa from "koa";
import { rateLimit } from "tollgate/koa";
import { BODY, DEGRADED, listen, type Serve } from "./serving.ts";

export const serve: Serve = (limiter) => {
  const app = new Koa();
  app.use(rateLimit({ limiter }));
  app.use((context) => {
    const degraded = context.state.rateLimit?.degraded;
    if (degraded !== undefined) context.set(DEGRADED, degraded);
    context.body = BODY;
  });
  const callback = app.callback();
  return listen(createServer((request, response) => void callback(request, response)));
};
