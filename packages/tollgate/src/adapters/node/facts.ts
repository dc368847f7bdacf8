import type { IncomingMessage } from "node:http";
import type { HttpFacts } from "../../http/facts.ts";
import { pathOfUrl } from "../../http/url-path.ts";
import { keptAddress } from "./kept-address.ts";

/** The neutral view of a `node:http` request, of HTTP/2 requests in Node's compatible form, too. */
export function factsOf(request: IncomingMessage): HttpFacts {
  return new NodeFacts(request, request.url);
}

/** The same where a framework has changed `request.url` since it came. */
export function factsAt(request: IncomingMessage, url: string | undefined): HttpFacts {
  return new NodeFacts(request, url);
}

/** What nobody asks for is not worked out. */
class NodeFacts implements HttpFacts {
  readonly #request: IncomingMessage;
  readonly #url: string;
  #remoteAddress: string | undefined;

  constructor(request: IncomingMessage, url = "/") {
    this.#request = request;
    this.#url = url;
  }

  get method(): string {
    return this.#request.method ?? "GET";
  }

  get path(): string {
    return pathOfUrl(this.#url);
  }

  /** Made when it is asked for; it can be taken out of the facts. */
  get header(): (name: string) => string | undefined {
    return (name) => headerOf(this.#request, name);
  }

  get remoteAddress(): string | undefined {
    // Kept, so that a request is settled under the key that it was counted under: a stream of HTTP/2 that is over has no socket
    // any more.
    this.#remoteAddress ??= this.#request.socket?.remoteAddress || keptAddress(this.#request);
    return this.#remoteAddress;
  }
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const field = name.toLowerCase();
  const value = Object.hasOwn(headers, field) ? headers[field] : undefined;
  return Array.isArray(value) ? value.join(", ") : value;
}
