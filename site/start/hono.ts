import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { createLimiter, perMinute } from "tollgate";
import { clientIp, rateLimit } from "tollgate/hono";

const limiter = createLimiter({ key: clientIp(), limits: [perMinute(10)] });

const app = new Hono();
app.use(rateLimit({ limiter }));
app.get("/", (context) => context.text("hello\n"));
serve({ fetch: app.fetch, port: 3000 });
