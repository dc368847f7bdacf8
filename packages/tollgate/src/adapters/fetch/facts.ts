import type { HttpFacts } from "../../http/facts.ts";
import { peerAddress } from "./peer.ts";

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
  /** A field, so that it can be taken out of the facts. */
  readonly header: (name: string) => string | undefined;

  constructor(request: Request) {
    this.#request = request;
    this.header = (name) => request.headers.get(name) ?? undefined;
  }

  get method(): string {
    return this.#request.method;
  }

  get path(): string {
    const { url } = this.#request;
    const start = url.indexOf("/", url.indexOf("://") + 3);
    const length = url.slice(start).search(/[?#]/);
    return length < 0 ? url.slice(start) : url.slice(start, start + length);
  }

  get remoteAddress(): string | undefined {
    return peerAddress(this.#request);
  }
}
