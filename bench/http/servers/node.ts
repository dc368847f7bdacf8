import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { BODY, listen, type Servers } from "./listen.ts";

export const SERVERS: Servers = {
  nothing: () => listen(createServer(handler)),
  "Tollgate, no headers": async (limit) => listen(createServer(await limited(limit, { headers: false }))),
  Tollgate: async (limit) => listen(createServer(await limited(limit, {}))),
};

function handler(_request: IncomingMessage, response: ServerResponse): void {
  response.end(BODY);
}

async function limited(limit: number, options: { readonly headers?: false }): Promise<RequestListener> {
  const { createLimiter, perDay } = await import("tollgate");
  const { clientIp, rateLimit } = await import("tollgate/node");
  const limiter = createLimiter({ key: clientIp(), limits: [perDay(limit)] });
  return rateLimit({ limiter, ...options })(handler);
}
