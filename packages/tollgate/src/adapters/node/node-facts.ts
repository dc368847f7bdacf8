import type { IncomingMessage } from "node:http";
import { headerLines, type RawRequest } from "../../http/header-lines.ts";
import { type FactsSource, type HttpFacts, LazyFacts } from "../../http/http-facts.ts";
import type { RateLimited } from "../../http/rate-limited.ts";

/**
 * The neutral view of a `node:http` request, or of an HTTP/2 request in Node's compatible form.
 *
 * @example
 * ```ts
 * import { once } from "node:events";
 * import { createServer } from "node:http";
 * import { createLimiter, perMinute } from "tollgate";
 * import { clientIp, factsOf } from "tollgate/node";
 *
 * const limiter = createLimiter({ key: clientIp(), limits: [perMinute(1)] });
 * const server = createServer((request, response) => {
 *   response.statusCode = limiter.allow(factsOf(request)) ? 200 : 429;
 *   response.end();
 * });
 * await once(server.listen(0, "127.0.0.1"), "listening");
 *
 * const { port } = server.address() as { port: number };
 * const get = async () => (await fetch(`http://127.0.0.1:${port}/`)).status;
 * console.log(await get(), await get()); // 200 429
 * server.close();
 * server.closeAllConnections();
 * ```
 */
export function factsOf(request: IncomingMessage): HttpFacts {
  return factsAt(request, request.url);
}

/** The same with the request's original URL, for frameworks that change `request.url`. */
export function factsAt(request: IncomingMessage, url: string | undefined): HttpFacts {
  return new LazyFacts({ request, url }, NODE_SOURCE, () => addressOf(request));
}

/** Gives handlers the decision. A limiter that counts nothing keeps that of the limiter before it. */
export function attach(holder: object, property: string, decision: RateLimited): void {
  (holder as Record<string, RateLimited>)[property] = decision;
}

interface Target {
  readonly request: IncomingMessage;
  /** The URL at the time when the facts were made: frameworks rewrite it. */
  readonly url: string | undefined;
}

const NODE_SOURCE: FactsSource<Target> = {
  method: ({ request }) => request.method ?? "GET",
  url: ({ url }) => url ?? "/",
  header: ({ request }, name) => headerOf(request, name),
  lines: ({ request }, name) => headerLines(request as RawRequest, name),
};

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const known = name.toLowerCase();
  const value = Object.hasOwn(headers, known) ? headers[known] : undefined;
  return Array.isArray(value) ? value.join(", ") : value;
}

/** A property is faster than a `WeakMap`: `keepAddress` sets it for each request that waits. */
const ADDRESS = Symbol("address of the peer");

type WithAddress = IncomingMessage & { [ADDRESS]?: string | undefined };

/** Caches the address of a request's peer, because a closed connection has none. */
export function keepAddress(request: IncomingMessage): void {
  (request as WithAddress)[ADDRESS] ??= request.socket?.remoteAddress;
}

function addressOf(request: IncomingMessage): string | undefined {
  return request.socket?.remoteAddress || (request as WithAddress)[ADDRESS];
}
