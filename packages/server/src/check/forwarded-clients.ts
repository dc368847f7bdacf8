import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { clientIp, factsOf, type KeyOf, type TrustProxy } from "tollgate/node";
import { type TrustedPeer, trustedPeer } from "../http/trusted-peer.ts";
import { requestHeader } from "./request-header.ts";

/** The client of a check. */
export interface ForwardedClient {
  /** Whether the peer is a proxy whose word counts. */
  readonly isForwarded: boolean;
  /** `undefined` if no trusted hop tells an address: limits of the proxy's own say nothing about its clients. */
  readonly address: string | undefined;
}

/** The library's key of a client without an address. */
const UNKNOWN = "unknown";

const MOST_PROXIES = 64;
/** For each proxy. */
const MOST_RECENT = 1_024;
/** One or two addresses. A client may send as many as fit into a head. */
const MOST_CHARACTERS = 96;
/** One in so many misses is cached: frequent clients get in soon, and a flood of different ones costs less. */
const ONE_IN = 4;

/** Finds the clients of checks, by the library's rules of trust. */
export class ForwardedClients {
  readonly #keyOf: KeyOf;
  readonly #isTrusted: TrustedPeer;
  /** By connection, which proxies keep: the proxy, or the client that the peer itself is. */
  readonly #peers = new WeakMap<Socket, KnownProxy | ForwardedClient>();
  /** By address. */
  #proxies = new Map<string, KnownProxy>();

  /** @throws TollgateError `ERR_OPTION` if the trust is malformed. */
  constructor(trustProxy: TrustProxy) {
    // A whole address, not its network: limits choose their own prefix.
    this.#keyOf = clientIp({ trustProxy, ipv6Prefix: 128 });
    this.#isTrusted = trustedPeer(trustProxy);
  }

  of(request: IncomingMessage): ForwardedClient {
    const peer = this.#peers.get(request.socket) ?? this.#meet(request);
    return peer instanceof KnownProxy ? peer.clientOf(request) : peer;
  }

  #meet(request: IncomingMessage): KnownProxy | ForwardedClient {
    const peer = this.#isTrusted(request)
      ? this.#proxyAt(request.socket.remoteAddress ?? "")
      : this.#read(request, false);
    this.#peers.set(request.socket, peer);
    return peer;
  }

  #proxyAt(address: string): KnownProxy {
    const known = this.#proxies.get(address);
    if (known !== undefined) return known;
    // Connections keep theirs. Starting over costs frequent proxies almost nothing.
    if (this.#proxies.size === MOST_PROXIES) this.#proxies = new Map();
    const proxy = new KnownProxy((request) => this.#read(request, true));
    this.#proxies.set(address, proxy);
    return proxy;
  }

  #read(request: IncomingMessage, isForwarded: boolean): ForwardedClient {
    const key = this.#keyOf(factsOf(request));
    const isHidden = isForwarded && this.#namesNoClient(request, key);
    return { isForwarded, address: isHidden || key === UNKNOWN ? undefined : key };
  }

  /** Whether a key is the proxy's own, and not because its client has the same address. */
  #namesNoClient(request: IncomingMessage, key: string): boolean {
    if (key !== this.#keyOfPeer(request.socket.remoteAddress)) return false;
    const nearest = requestHeader(request, "x-forwarded-for")?.split(",").at(-1)?.trim();
    return key !== this.#keyOfPeer(nearest);
  }

  #keyOfPeer(remoteAddress: string | undefined): string {
    return this.#keyOf({ method: "", path: "", remoteAddress, header: () => undefined });
  }
}

/** Remembers what a proxy has forwarded: a look-up is faster than parsing addresses. */
class KnownProxy {
  readonly #read: (request: IncomingMessage) => ForwardedClient;
  #recent = new Map<string, ForwardedClient>();
  #turn = 0;

  constructor(read: (request: IncomingMessage) => ForwardedClient) {
    this.#read = read;
  }

  clientOf(request: IncomingMessage): ForwardedClient {
    const forwarded = requestHeader(request, "x-forwarded-for");
    if (forwarded === undefined || forwarded.length > MOST_CHARACTERS) return this.#read(request);
    const recent = this.#recent.get(forwarded);
    if (recent !== undefined) return recent;
    const client = this.#read(request);
    this.#turn = (this.#turn + 1) % ONE_IN;
    if (this.#turn === 0) this.#cache(forwarded, client);
    return client;
  }

  #cache(forwarded: string, client: ForwardedClient): void {
    // Starting over costs frequent clients almost nothing. Evicting in order would cost every check.
    if (this.#recent.size === MOST_RECENT) this.#recent = new Map();
    this.#recent.set(forwarded, client);
  }
}
