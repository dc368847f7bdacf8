import type { HttpFacts } from "../../http/facts.ts";
import { pathOfUrl } from "../../http/url-path.ts";
import { type Peer, peerOf } from "./peer.ts";

/**
 * The neutral view of a `Request`. Its path is as runtimes give it: without `.` and `..`. It has an address once the request
 * came to a limiter, where the runtime is Bun or Deno, or the option `remoteAddress` tells it.
 */
export function factsOf(request: Request): HttpFacts {
  return new FetchFacts(request);
}

/** What nobody asks for is not worked out. */
class FetchFacts implements HttpFacts {
  readonly #request: Request;
  /** As the limiter at hand knows it: one inside of it may be told nothing of the kind. */
  #peer: Peer | undefined;
  /** A field, so that it can be taken out of the facts. */
  readonly header: (name: string) => string | undefined;

  constructor(request: Request) {
    this.#request = request;
    this.#peer = peerOf(request);
    this.header = (name) => request.headers.get(name) ?? undefined;
  }

  get method(): string {
    return this.#request.method;
  }

  get path(): string {
    return pathOfUrl(this.#request.url);
  }

  get remoteAddress(): string | undefined {
    this.#peer ??= peerOf(this.#request);
    return this.#peer?.address;
  }
}
