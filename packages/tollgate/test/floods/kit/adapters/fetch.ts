import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { decisionOf, rateLimit } from "tollgate/fetch";
import { BODY, DEGRADED, listen, type Serve } from "./serving.ts";

export const serve: Serve = (limiter) => {
  const handle = rateLimit({ limiter })((request) => {
    const degraded = decisionOf(request)?.degraded;
    return new Response(BODY, degraded === undefined ? {} : { headers: { [DEGRADED]: degraded } });
  });
  return listen(createAdaptorServer({ fetch: (request) => handle(request) }) as Server);
};
