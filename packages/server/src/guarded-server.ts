import { createServer, type RequestListener, type Server } from "node:http";
import { boundPipelining } from "./pipelining.ts";

/** How long the service waits for a client, in milliseconds. */
export interface Timeouts {
  /** From the start of a request, or of a connection that sends nothing, to the end of the head. */
  readonly headersMs: number;
  /** From the start of a request to the end of its body; not shorter than `headersMs`. */
  readonly requestMs: number;
  /** Between two requests on one connection. */
  readonly keepAliveMs: number;
  /** Without a byte in either direction. It ends connections whose client does not read its responses. */
  readonly silenceMs: number;
  /** The interval between checks for late requests: the precision of the other timeouts. */
  readonly checkIntervalMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  headersMs: 10_000,
  requestMs: 15_000,
  keepAliveMs: 5_000,
  silenceMs: 30_000,
  checkIntervalMs: 1_000,
};

/**
 * A proxy's check repeats the head of its client's request, and proxies accept more than the 16 KiB of Node's default:
 * HAProxy 16 KiB, nginx 32 KiB. With less, clients could go past a limit by sending a long head.
 */
const MAX_HEADER_BYTES = 40 * 1024;

/** Makes a `node:http` server with bounds for slow and greedy clients. */
export function createGuardedServer(listener: RequestListener, timeouts: Timeouts): Server {
  const server = createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.keepAliveMs,
      connectionsCheckingInterval: timeouts.checkIntervalMs,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    boundPipelining(listener),
  );
  server.timeout = timeouts.silenceMs;
  return server;
}
