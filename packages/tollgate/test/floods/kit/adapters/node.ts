import { createServer } from "node:http";
import { rateLimit } from "tollgate/node";
import { BODY, DEGRADED, listen, type Serve } from "./serving.ts";

export const serve: Serve = (limiter) => {
  const limit = rateLimit({ limiter });
  return listen(
    createServer(
      limit((request, response) => {
        const degraded = request.rateLimit?.degraded;
        if (degraded !== undefined) response.setHeader(DEGRADED, degraded);
        response.end(BODY);
      }),
    ),
  );
};
