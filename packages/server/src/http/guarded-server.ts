import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { boundPipelining } from "./pipelining.ts";
import { serveTogether } from "./serve-together.ts";
import type { Tls } from "./tls.ts";

/** What a server grants its clients. Times are in milliseconds. */
export interface Bounds {
  /** From the start of a request, or of a connection that sends nothing, to the end of the head. */
  readonly headersMs: number;
  /** From the start of a request to the end of its body; not shorter than `headersMs`. */
  readonly requestMs: number;
  /** Between two requests on one connection. */
  readonly keepAliveMs: number;
  /** Without a byte in either direction. It ends connections whose client does not read its responses. */
  readonly silenceMs: number;
  /** The interval between checks for late requests: the precision of the other times. */
  readonly checkIntervalMs: number;
  /** The request line and the headers. Node answers 431 to longer ones. */
  readonly headBytes: number;
  /** Connections at once. The server closes further ones as they come. */
  readonly connections: number;
}

/**
 * A proxy's check repeats the head of its client's request, and proxies accept more than the 16 KiB of Node's default:
 * nginx 32 KiB. With less, a long head would make nginx answer for a limiter that it takes for broken.
 */
export const DEFAULT_BOUNDS: Bounds = {
  headersMs: 5_000,
  requestMs: 15_000,
  keepAliveMs: 5_000,
  silenceMs: 30_000,
  checkIntervalMs: 1_000,
  headBytes: 40 * 1024,
  connections: 10_000,
};

/** Makes a `node:http` server with bounds for slow and greedy clients. The listener must not throw. */
export function createGuardedServer(listener: RequestListener, bounds: Bounds, tls?: Tls): Server {
  const options = {
    headersTimeout: bounds.headersMs,
    requestTimeout: bounds.requestMs,
    keepAliveTimeout: bounds.keepAliveMs,
    connectionsCheckingInterval: bounds.checkIntervalMs,
    maxHeaderSize: bounds.headBytes,
  };
  const bounded = boundPipelining(serveTogether(listener));
  const server = tls === undefined ? createServer(options, bounded) : serverOfTls(tls, options, bounded);
  // Node would drop headers beyond a thousand, silently: those of proxies that name the client are often the last ones.
  // The bytes of the head are bounded.
  server.maxHeadersCount = 0;
  server.timeout = bounds.silenceMs;
  server.maxConnections = bounds.connections;
  return server;
}

function serverOfTls(tls: Tls, options: ServerOptions, listener: RequestListener): Server {
  const server = createTlsServer({ ...options, ...tls.options }, listener);
  tls.follow(server);
  return server;
}
