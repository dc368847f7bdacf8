/** Tells the address of the socket's peer from what a runtime hands its handlers, the request first. */
export type AddressOf<Native, Others extends unknown[]> = (request: Native, ...others: Others) => string | undefined;

/** A request has no place for it, and the functions of the options get nothing but the request. */
const PEERS = new WeakMap<Request, Peer>();

/** Remembers how to find the address of a request's peer. */
export function notePeer<Native extends Request, Others extends unknown[]>(
  request: Native,
  others: Others,
  addressOf: AddressOf<Native, Others>,
): void {
  PEERS.set(request, new Peer(() => addressOf(request, ...others)));
}

/** The address of the peer; `undefined` where the runtime does not tell it, or before the request came to a limiter. */
export function peerAddress(request: Request): string | undefined {
  return PEERS.get(request)?.address;
}

/** Runtimes work an address out, and forget it when the response is over: it is asked for once, and only if it is wanted. */
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

/** What `Bun.serve` hands its handler beside the request. */
interface BunServer {
  requestIP(request: Request): { readonly address: string } | null;
}

/** What `Deno.serve` does. */
interface DenoInfo {
  /** A unix socket has no host. */
  readonly remoteAddr: { readonly hostname?: unknown };
}

/** The address where the runtime is Bun or Deno. What others hand over, such as a Worker's `env`, has nothing of the kind. */
export function addressAmong(request: Request, ...others: unknown[]): string | undefined {
  for (const other of others) {
    if (isBunServer(other)) return other.requestIP(request)?.address;
    if (!isDenoInfo(other)) continue;
    const { hostname } = other.remoteAddr;
    return typeof hostname === "string" ? hostname : undefined;
  }
  return undefined;
}

function isBunServer(other: unknown): other is BunServer {
  return isObject(other) && "requestIP" in other && typeof other.requestIP === "function";
}

function isDenoInfo(other: unknown): other is DenoInfo {
  return isObject(other) && "remoteAddr" in other && isObject(other.remoteAddr);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
