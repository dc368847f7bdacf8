import { createLimiter, perDay } from "tollgate";
import { clientIp, rateLimit } from "tollgate/koa";
import { serveBehind } from "./koa.ts";
import type { Serve } from "./serve.ts";

export const serveWithHeaders: Serve = (limit) => serveBehind([rateLimit({ limiter: limiterOf(limit) })]);

export const serveWithoutHeaders: Serve = (limit) =>
  serveBehind([rateLimit({ limiter: limiterOf(limit), headers: false })]);

function limiterOf(limit: number) {
  return createLimiter({ key: clientIp(), limits: [perDay(limit)] });
}
