/** The object with which a runtime tells the address of a request's peer. */
export type RuntimeAddressSource = BunServer | DenoInfo;

/** `Bun.serve` hands it to its handler beside the request. */
interface BunServer {
  requestIP(request: Request): { readonly address?: unknown } | null;
}

/** `Deno.serve` hands it to its handler beside the request. A unix socket has no host name. */
interface DenoInfo {
  readonly remoteAddr: { readonly hostname?: unknown };
}

/** Other objects, such as the `env` of a Worker, have other types under these names. */
export function isAddressSource(value: unknown): value is RuntimeAddressSource {
  return isBunServer(value) || isDenoInfo(value);
}

/** The address of a request's peer. */
export function runtimeAddress(source: RuntimeAddressSource, request: Request): string | undefined {
  const address = isBunServer(source) ? source.requestIP(request)?.address : source.remoteAddr.hostname;
  return typeof address === "string" ? address : undefined;
}

function isBunServer(value: unknown): value is BunServer {
  return isObject(value) && "requestIP" in value && typeof value.requestIP === "function";
}

function isDenoInfo(value: unknown): value is DenoInfo {
  return isObject(value) && "remoteAddr" in value && isObject(value.remoteAddr);
}

/** A binding of a Worker may have any name, and is a function. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
