import rateLimit from "@fastify/rate-limit";
import { serveBehind } from "./fastify.ts";
import { DAY_MS, type Serve } from "./serve.ts";

export const serve: Serve = (limit) =>
  serveBehind(async (app) => {
    await app.register(rateLimit, { max: limit, timeWindow: DAY_MS });
  });
