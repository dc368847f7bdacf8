import type { Context } from "hono";
import { headerLines } from "../../http/header-lines.ts";
import { type FactsSource, type HttpFacts, LazyFacts } from "../../http/http-facts.ts";
import type { Outgoing } from "../../http/outgoing.ts";
import { isAddressSource, isObject, runtimeAddress } from "./runtime-address.ts";

/**
 * The neutral view of a Hono request. Its path is as the client sent it, while `context.req.path` is decoded. The
 * address is that of the socket's peer on Node, Bun and Deno, and `undefined` elsewhere.
 *
 * @example
 * ```ts
 * import { Hono } from "hono";
 * import { createLimiter, perMinute } from "tollgate";
 * import { factsOf, header, rateLimit } from "tollgate/hono";
 *
 * const app = new Hono();
 * const limiter = createLimiter({ key: header("x-api-key"), limits: [perMinute(1)] });
 * app.use(rateLimit({ limiter, skip: (context) => factsOf(context).path === "/health" }));
 * app.get("*", (context) => context.text("hello"));
 *
 * const get = async (path: string) => (await app.request(path, { headers: { "X-API-Key": "ann" } })).status;
 * console.log(await get("/"), await get("/"), await get("/health")); // 200 429 200
 * ```
 */
export function factsOf(context: Context): HttpFacts {
  return new LazyFacts(context, HONO_SOURCE, () => peerAddress(context));
}

/** The same with the address that the application knows. `addressOf` may return null or `""` without an address. */
export function factsWith(addressOf: ((context: Context) => string | undefined) | undefined): typeof factsOf {
  if (addressOf === undefined) return factsOf;
  return (context) => new LazyFacts(context, HONO_SOURCE, () => addressOf(context));
}

const HONO_SOURCE: FactsSource<Context> = {
  method: ({ req }) => req.method,
  url: ({ req }) => req.url,
  header: ({ req }, name) => req.header(name),
  lines: (context, name) => headerLines(exchangeOf(context), name),
};

/** What servers hand over as `env`. Bun and Deno hand over a `RuntimeAddressSource`. */
interface Bindings {
  /** `@hono/node-server`. */
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: unknown } };
  readonly outgoing?: Partial<Outgoing>;
}

/** The response of Node's server, if the application runs on it. */
export function outgoingOf(context: Context): Outgoing | undefined {
  const outgoing = bindingsOf(context)?.outgoing;
  return isObject(outgoing) && typeof outgoing.setHeader === "function" ? (outgoing as Outgoing) : undefined;
}

const ADDRESSES = new WeakMap<Context, string>();

/** Caches the address of the socket's peer, because a closed connection has none. */
export function keepAddress(context: Context): void {
  const address = addressNow(context);
  if (address !== undefined) ADDRESSES.set(context, address);
}

function peerAddress(context: Context): string | undefined {
  return addressNow(context) ?? ADDRESSES.get(context);
}

function addressNow(context: Context): string | undefined {
  const bindings = bindingsOf(context);
  if (bindings === undefined) return undefined;
  if (!isObject(bindings.incoming)) {
    return isAddressSource(bindings) ? runtimeAddress(bindings, context.req.raw) || undefined : undefined;
  }
  const address = bindings.incoming.socket?.remoteAddress;
  return typeof address === "string" && address !== "" ? address : undefined;
}

/** Node's request, which limiters of other adapters may share; elsewhere the runtime's. */
export function exchangeOf(context: Context): object {
  const incoming = bindingsOf(context)?.incoming;
  return isObject(incoming) ? incoming : context.req.raw;
}

/** Some servers hand their bindings over under the name `server`. */
function bindingsOf(context: Context): Bindings | undefined {
  const env = context.env as (Bindings & { readonly server?: Bindings }) | undefined;
  return isObject(env) && isObject(env.server) ? env.server : env;
}
