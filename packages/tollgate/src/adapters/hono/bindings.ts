import type { Context } from "hono";
import type { Outgoing } from "../../http/outgoing.ts";

/** What servers hand over as `env`, each its own part. */
interface Bindings {
  /** `@hono/node-server`. */
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: unknown } };
  readonly outgoing?: Partial<Outgoing>;
  /** Bun's server. */
  readonly requestIP?: (request: Request) => { readonly address?: unknown } | null;
  /** Deno's connection. */
  readonly remoteAddr?: { readonly hostname?: unknown };
}

/** The response of Node's server, where that is what runs the application. */
export function outgoingOf(context: Context): Outgoing | undefined {
  const outgoing = bindingsOf(context)?.outgoing;
  return isObject(outgoing) && typeof outgoing.setHeader === "function" ? (outgoing as Outgoing) : undefined;
}

/** Of peers that may have none any more. */
const ADDRESSES = new WeakMap<Context, string>();

/** Notes the address of the socket's peer before anything is waited for: one that is gone by then has none any more. */
export function keepAddress(context: Context): void {
  const address = addressNow(context);
  if (address !== undefined) ADDRESSES.set(context, address);
}

/** The address of the socket's peer, where the server tells it: Node, Bun and Deno do. */
export function remoteAddressOf(context: Context): string | undefined {
  return addressNow(context) ?? ADDRESSES.get(context);
}

function addressNow(context: Context): string | undefined {
  const bindings = bindingsOf(context);
  if (bindings === undefined) return undefined;
  const { incoming, remoteAddr, requestIP } = bindings;
  let address: unknown;
  if (isObject(incoming)) address = incoming.socket?.remoteAddress;
  else if (typeof requestIP === "function") address = requestIP.call(bindings, context.req.raw)?.address;
  else if (isObject(remoteAddr)) address = remoteAddr.hostname;
  return typeof address === "string" && address !== "" ? address : undefined;
}

/** Some servers hand over what they have under the name `server`. */
function bindingsOf(context: Context): Bindings | undefined {
  const env = context.env as (Bindings & { readonly server?: Bindings }) | undefined;
  return isObject(env) && isObject(env.server) ? env.server : env;
}

// A binding of a Worker may have any of these names, and is a function.
function isObject<Value extends object>(value: Value | undefined): value is Value {
  return typeof value === "object" && value !== null;
}
