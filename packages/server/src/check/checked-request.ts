import type { IncomingMessage } from "node:http";
import { factsOf, type HeaderLines, type HttpFacts } from "tollgate/node";
import type { ForwardedClient } from "./forwarded-clients.ts";
import { lastHeader, requestHeader } from "./request-header.ts";

/** What limits see of the request that a proxy asks about. What the proxy does not say is `""`. */
export interface CheckedFacts extends HttpFacts {
  /** The path with its query, as the client sent it. */
  readonly target: string;
  /** As the client named it, with a port if it sent one. */
  readonly host: string;
}

const METHOD = "x-forwarded-method";
const TARGET = "x-forwarded-uri";
const HOST = "x-forwarded-host";

/** Each has one value, that of the nearest proxy. */
const SINGLE: ReadonlySet<string> = new Set([METHOD, TARGET, HOST, "x-forwarded-proto"]);

/** Headers about the proxy's own request. The client's address has been read of `X-Forwarded-For` already. */
const OF_PROXY: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-forwarded-for",
]);

/**
 * The request that a proxy asks about: what the proxy forwards in `X-Forwarded-*`, and the headers that it passes on.
 * Nothing of the proxy's own request is a fact, neither its method nor its path nor its host.
 */
export class CheckedRequest implements CheckedFacts {
  readonly #request: IncomingMessage;
  readonly #client: ForwardedClient;

  constructor(request: IncomingMessage, client: ForwardedClient) {
    this.#request = request;
    this.#client = client;
  }

  get remoteAddress(): string | undefined {
    return this.#client.address;
  }

  get method(): string {
    return this.#forwarded(METHOD) ?? "";
  }

  get target(): string {
    return withoutOrigin(this.#forwarded(TARGET) ?? "");
  }

  get path(): string {
    const { target } = this;
    const end = target.search(/[?#]/);
    return end < 0 ? target : target.slice(0, end);
  }

  get host(): string {
    return this.#forwarded(HOST) ?? "";
  }

  /** A function of its own, so that callers can destructure it. */
  get header(): (name: string) => string | undefined {
    return (name) => this.#header(name.toLowerCase());
  }

  /** Those that the proxy says about the client's request. */
  lines(name: string): HeaderLines | undefined {
    const isOfProxy = name === "host" || SINGLE.has(name) || OF_PROXY.has(name);
    return isOfProxy ? undefined : factsOf(this.#request).lines?.(name);
  }

  #header(name: string): string | undefined {
    if (name === "host") return this.#forwarded(HOST);
    if (SINGLE.has(name)) return this.#forwarded(name);
    if (OF_PROXY.has(name)) return undefined;
    return requestHeader(this.#request, name);
  }

  /**
   * The last line of a header. Proxies replace these headers, but one that appends writes its own line last. The joined
   * value would not do, because URIs may contain commas.
   */
  #forwarded(name: string): string | undefined {
    return this.#client.isForwarded ? lastHeader(this.#request, name) : undefined;
  }
}

const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/** The absolute form leads to the same route, whatever host a client writes into it. */
function withoutOrigin(target: string): string {
  if (target.startsWith("/")) return target;
  const origin = ORIGIN.exec(target)?.[0];
  if (origin === undefined) return target;
  const rest = target.slice(origin.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}
