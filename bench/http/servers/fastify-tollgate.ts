import { createLimiter, perDay } from "tollgate";
import { clientIp, rateLimit } from "tollgate/fastify";
import { serveBehind } from "./fastify.ts";
import type { Serve } from "./serve.ts";

export const serveWithHeaders: Serve = (limit) =>
  serveBehind(async (app) => {
    await app.register(rateLimit, { limiter: limiterOf(limit) });
  });

export const serveWithoutHeaders: Serve = (limit) =>
  serveBehind(async (app) => {
    await app.register(rateLimit, { limiter: limiterOf(limit), headers: false });
  });

function limiterOf(limit: number) {
  return createLimiter({ key: clientIp(), limits: [perDay(limit)] });
}
