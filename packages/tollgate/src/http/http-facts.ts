/** The lines of one header, or that the server may have dropped some. */
export type HeaderLines = readonly string[] | "dropped";

/** What the gate reads of a request, in every framework. By default it is the limiter's input. */
export interface HttpFacts {
  readonly method: string;
  /** The path as the client sent it, without the query. A route may have several spellings. */
  readonly path: string;
  /** The path with its query, as the client sent it. Adapters have it; without it the query is not known. */
  readonly target?: string | undefined;
  /** The address of the socket's peer; `undefined` for a unix socket, or after the peer has closed the connection. */
  readonly remoteAddress: string | undefined;
  /** A header's value by its name in any case. Several values are joined by a comma and a space. */
  header(name: string): string | undefined;
  /**
   * The lines of a header, by its name in lower case: `"dropped"` if the server may have dropped some, `undefined`
   * where only joined values are known. The adapters on Node have it.
   */
  readonly lines?: ((name: string) => HeaderLines | undefined) | undefined;
}

/** Makes the limiter's key of a request: it says which requests are one client's. */
export type KeyOf = (facts: HttpFacts) => string;

/** Where an adapter finds the facts of its framework's request. Each is read when it is asked for. */
export interface FactsSource<Request> {
  method(request: Request): string;
  /** A URL, or a request's target in any form (RFC 9112, section 3.2). */
  url(request: Request): string;
  header(request: Request, name: string): string | undefined;
  lines?(request: Request, name: string): HeaderLines;
}

/** Lazy facts: nothing is read of a request before it is asked for. */
export class LazyFacts<Request> implements HttpFacts {
  readonly #request: Request;
  readonly #source: FactsSource<Request>;
  readonly #findAddress: () => string | undefined;
  #remoteAddress: string | undefined;

  /** `findAddress` may return `""` or `undefined` for an unknown address. */
  constructor(request: Request, source: FactsSource<Request>, findAddress: () => string | undefined) {
    this.#request = request;
    this.#source = source;
    this.#findAddress = findAddress;
  }

  get method(): string {
    return this.#source.method(this.#request);
  }

  get path(): string {
    return pathOfUrl(this.#source.url(this.#request));
  }

  get target(): string {
    return targetOfUrl(this.#source.url(this.#request));
  }

  /** A function of its own, so that callers can destructure it. */
  get header(): (name: string) => string | undefined {
    return (name) => this.#source.header(this.#request, name);
  }

  lines(name: string): HeaderLines | undefined {
    return this.#source.lines?.(this.#request, name);
  }

  get remoteAddress(): string | undefined {
    // Cached, so that a request is settled under the key that it was counted under: a closed connection has no address.
    this.#remoteAddress ??= this.#findAddress() || undefined;
    return this.#remoteAddress;
  }
}

/** The path of a URL or a request's target, unchanged, without query and fragment. */
export function pathOfUrl(url: string): string {
  const query = url.indexOf("?");
  const fragment = url.indexOf("#");
  const end = Math.min(query < 0 ? url.length : query, fragment < 0 ? url.length : fragment);
  const whole = url.slice(0, end);
  return whole.startsWith("/") ? whole : withoutOrigin(whole);
}

/** Works like `pathOfUrl`, with the query. */
function targetOfUrl(url: string): string {
  const query = url.indexOf("?");
  const fragment = url.indexOf("#");
  if (query < 0 || (fragment >= 0 && fragment < query)) return pathOfUrl(url);
  return pathOfUrl(url) + url.slice(query, fragment < 0 ? url.length : fragment);
}

/** The absolute form leads to the same route, whatever host a client writes into it. */
function withoutOrigin(url: string): string {
  const scheme = url.indexOf("://");
  // `*` (OPTIONS) or an authority (CONNECT).
  if (scheme < 0) return url;
  const start = url.indexOf("/", scheme + "://".length);
  return start < 0 ? "/" : url.slice(start);
}
