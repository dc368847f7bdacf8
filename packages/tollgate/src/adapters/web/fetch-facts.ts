import { type FactsSource, type HttpFacts, LazyFacts } from "../../http/http-facts.ts";
import { isAddressSource, runtimeAddress } from "./runtime-address.ts";

/**
 * The neutral view of a `Request`. Its path is as the runtime gives it: without `.` and `..`. It has an address after
 * the request has come to a limiter, if the runtime is Bun or Deno, or the option `remoteAddress` is set.
 *
 * @example
 * ```ts
 * import { createLimiter, perMinute } from "tollgate";
 * import { factsOf, header } from "tollgate/fetch";
 *
 * const limiter = createLimiter({ key: header("x-api-key"), limits: [perMinute(2)] });
 * const request = new Request("https://example.com/search?q=a", { headers: { "X-API-Key": "ann" } });
 * const facts = factsOf(request);
 * console.log(facts.method, facts.path, facts.target); // GET /search /search?q=a
 * console.log(limiter.consume(facts).remaining); // 1
 * ```
 */
export function factsOf(request: Request): HttpFacts {
  // The peer that the current limiter knows: an inner limiter may be given another `remoteAddress`.
  let peer = peerOf(request);
  return new LazyFacts(request, FETCH_SOURCE, () => {
    peer ??= peerOf(request);
    return peer?.address;
  });
}

const FETCH_SOURCE: FactsSource<Request> = {
  method: ({ method }) => method,
  url: ({ url }) => url,
  header: ({ headers }, name) => headers.get(name) ?? undefined,
};

/** Finds the address of the socket's peer in the arguments of a handler, the request first. */
export type AddressOf<Native, Others extends unknown[]> = (request: Native, ...others: Others) => string | undefined;

/** A `Request` has no property for it, and the functions of the options get only the request. */
const PEERS = new WeakMap<Request, Peer>();

/**
 * Notes how to find the address of a request's peer: by the option `remoteAddress`, else from what Bun or Deno hand
 * over. If neither is there, the note of an outer limiter stands.
 */
export function notePeer<Native extends Request, Others extends unknown[]>(
  request: Native,
  others: Others,
  addressOf: AddressOf<Native, Others> | undefined,
): void {
  if (addressOf !== undefined) {
    PEERS.set(request, new Peer(() => addressOf(request, ...others)));
    return;
  }
  const source = others.find(isAddressSource);
  if (source !== undefined) PEERS.set(request, new Peer(() => runtimeAddress(source, request)));
}

/**
 * Caches the address of a request's peer: the peer may go. What `remoteAddress` throws is thrown when the address is
 * read.
 */
export function keepAddress(request: Request): void {
  try {
    void peerOf(request)?.address;
  } catch {}
}

/** `undefined` before the request has come to a limiter, or if the runtime tells no address. */
function peerOf(request: Request): Peer | undefined {
  return PEERS.get(request);
}

/**
 * A lazy address: it is looked up at most once, because runtimes compute it, and forget it when the response has ended.
 */
class Peer {
  #find: (() => string | undefined) | undefined;
  #address: string | undefined;

  constructor(find: () => string | undefined) {
    this.#find = find;
  }

  get address(): string | undefined {
    if (this.#find !== undefined) {
      this.#address = this.#find() || undefined;
      this.#find = undefined;
    }
    return this.#address;
  }
}
