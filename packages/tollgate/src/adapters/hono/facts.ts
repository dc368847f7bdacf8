import type { Context } from "hono";
import type { HttpFacts } from "../../http/facts.ts";
import { pathOfUrl } from "../../http/url-path.ts";
import { remoteAddressOf } from "./bindings.ts";

/**
 * The neutral view of a request of Hono. Its path is as it was sent, where `context.req.path` is decoded. The address is that
 * of the socket's peer on Node, Bun and Deno, and `undefined` elsewhere.
 */
export function factsOf(context: Context): HttpFacts {
  return new HonoFacts(context, remoteAddressOf);
}

/** The same where the application knows the address. */
export function factsBy(
  addressOf: (context: Context) => string | undefined = remoteAddressOf,
): (context: Context) => HttpFacts {
  return (context) => new HonoFacts(context, addressOf);
}

/** What nobody asks for is not worked out. */
class HonoFacts implements HttpFacts {
  readonly #context: Context;
  readonly #addressOf: (context: Context) => string | undefined;
  #remoteAddress: string | undefined;

  constructor(context: Context, addressOf: (context: Context) => string | undefined) {
    this.#context = context;
    this.#addressOf = addressOf;
  }

  get method(): string {
    return this.#context.req.method;
  }

  get path(): string {
    return pathOfUrl(this.#context.req.url);
  }

  /** Made when it is asked for; it can be taken out of the facts. */
  get header(): (name: string) => string | undefined {
    return (name) => this.#context.req.header(name);
  }

  get remoteAddress(): string | undefined {
    // Kept, so that a request is settled under the key that it was counted under: a peer that is gone has no address any more.
    // An application's own function may say null or "" where there is none.
    this.#remoteAddress ??= this.#addressOf(this.#context) || undefined;
    return this.#remoteAddress;
  }
}
