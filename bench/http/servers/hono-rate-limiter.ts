import { getConnInfo } from "@hono/node-server/conninfo";
import { rateLimiter } from "hono-rate-limiter";
import { serveBehind } from "./hono.ts";
import { DAY_MS, type Serve } from "./serve.ts";

export const serve: Serve = (limit) =>
  serveBehind([
    rateLimiter({
      limit,
      windowMs: DAY_MS,
      keyGenerator: (context) => getConnInfo(context).remote.address ?? "unknown",
    }),
  ]);
