/** Tells the address of the socket's peer from what a runtime hands its handlers, the request first. */
export type AddressOf<Native, Others extends unknown[]> = (request: Native, ...others: Others) => string | undefined;

/** A request has no place for it, and the functions of the options get nothing but the request. */
const PEERS = new WeakMap<Request, Peer>();

/**
 * Remembers how to find the address of a request's peer: by a function that knows, else as Bun and Deno tell it. Where nobody tells
 * it, what a limiter in front has remembered stands.
 */
export function notePeer<Native extends Request, Others extends unknown[]>(
  request: Native,
  others: Others,
  addressOf: AddressOf<Native, Others> | undefined,
): void {
  if (addressOf !== undefined) PEERS.set(request, new Peer(() => addressOf(request, ...others)));
  else {
    const teller = others.find(tellsAddress);
    if (teller !== undefined) PEERS.set(request, new Peer(() => addressBy(teller, request)));
  }
}

/** `undefined` where the runtime does not tell it, or before the request came to a limiter. */
export function peerOf(request: Request): Peer | undefined {
  return PEERS.get(request);
}

/** Runtimes work an address out, and forget it when the response is over: it is asked for once, and only if it is wanted. */
export class Peer {
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

  /** Asks for it at once: while something else is waited for, the peer may go. Whoever wants it hears of what that throws. */
  keep(): void {
    try {
      void this.address;
    } catch {}
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

/** What Workers and others hand over, such as an `env`, has nothing of the kind. */
function tellsAddress(other: unknown): other is BunServer | DenoInfo {
  return isBunServer(other) || isDenoInfo(other);
}

function addressBy(teller: BunServer | DenoInfo, request: Request): string | undefined {
  if (isBunServer(teller)) return teller.requestIP(request)?.address;
  const { hostname } = teller.remoteAddr;
  return typeof hostname === "string" ? hostname : undefined;
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
