import { createServer } from "node:http";
import { createLimiter, perDay } from "tollgate";
import { clientIp, rateLimit } from "tollgate/node";
import { BODY, listen, type Serve } from "./serve.ts";

export const serveWithHeaders: Serve = (limit) => {
  const limited = rateLimit({ limiter: limiterOf(limit) });
  return listen(createServer(limited((_request, response) => void response.end(BODY))));
};

export const serveWithoutHeaders: Serve = (limit) => {
  const limited = rateLimit({ limiter: limiterOf(limit), headers: false });
  return listen(createServer(limited((_request, response) => void response.end(BODY))));
};

function limiterOf(limit: number) {
  return createLimiter({ key: clientIp(), limits: [perDay(limit)] });
}
