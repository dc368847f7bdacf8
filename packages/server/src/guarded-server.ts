import { createServer, type RequestListener, type Server } from "node:http";
import { inTurn } from "./in-turn.ts";
import type { Timeouts } from "./timeouts.ts";

/** A request here needs a line and an API key: half of Node's allowance is plenty, and bounds the length of a key. */
const MAX_HEADER_BYTES = 8 * 1024;

/** A `node:http` server that slow and greedy clients cannot hold on to. */
export function createGuardedServer(listener: RequestListener, timeouts: Timeouts): Server {
  const server = createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.keepAliveMs,
      connectionsCheckingInterval: timeouts.checkIntervalMs,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    inTurn(listener),
  );
  server.timeout = timeouts.silenceMs;
  return server;
}
