import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { clientIp, factsOf, type KeyOf, type TrustProxy } from "tollgate/node";
import { type TrustedPeer, trustedPeer } from "../http/trusted-peer.ts";
import { requestHeader } from "./request-header.ts";

/** The client of a check. */
export interface ForwardedClient {
  /** Whether the peer is a proxy whose word counts. */
  readonly isForwarded: boolean;
  /** `undefined` if no trusted hop tells an address. */
  readonly address: string | undefined;
}

/** The library's key of a client without an address. */
const UNKNOWN = "unknown";

const MOST_RECENT = 1_024;
/** One or two addresses. A client may send as many as fit into a head. */
const MOST_CHARACTERS = 96;
/** One in so many misses is cached: frequent clients get in soon, and a flood of different ones costs less. */
const ONE_IN = 4;

/** Finds the clients of checks, by the library's rules of trust. */
export class ForwardedClients {
  readonly #keyOf: KeyOf;
  readonly #isTrusted: TrustedPeer;
  /** By connection, which proxies keep: `"proxy"`, or the client that the peer itself is. */
  readonly #peers = new WeakMap<Socket, "proxy" | ForwardedClient>();
  /** By proxy and what it forwards: a look-up is faster than parsing addresses. */
  #recent = new Map<string, ForwardedClient>();
  #turn = 0;

  /** @throws TollgateError `ERR_OPTION` if the trust is malformed. */
  constructor(trustProxy: TrustProxy) {
    // A whole address, not its network: limits choose their own prefix.
    this.#keyOf = clientIp({ trustProxy, ipv6Prefix: 128 });
    this.#isTrusted = trustedPeer(trustProxy);
  }

  of(request: IncomingMessage): ForwardedClient {
    const peer = this.#peers.get(request.socket) ?? this.#meet(request);
    return peer === "proxy" ? this.#forwardedBy(request) : peer;
  }

  #meet(request: IncomingMessage): "proxy" | ForwardedClient {
    const peer = this.#isTrusted(request) ? "proxy" : this.#read(request, false);
    this.#peers.set(request.socket, peer);
    return peer;
  }

  #forwardedBy(request: IncomingMessage): ForwardedClient {
    const forwarded = requestHeader(request, "x-forwarded-for");
    if (forwarded === undefined || forwarded.length > MOST_CHARACTERS) return this.#read(request, true);
    const what = `${request.socket.remoteAddress} ${forwarded}`;
    const recent = this.#recent.get(what);
    if (recent !== undefined) return recent;
    const client = this.#read(request, true);
    this.#turn = (this.#turn + 1) % ONE_IN;
    if (this.#turn === 0) this.#cache(what, client);
    return client;
  }

  #cache(what: string, client: ForwardedClient): void {
    // Starting over costs frequent clients almost nothing. Evicting in order would cost every check.
    if (this.#recent.size === MOST_RECENT) this.#recent = new Map();
    this.#recent.set(what, client);
  }

  #read(request: IncomingMessage, isForwarded: boolean): ForwardedClient {
    const key = this.#keyOf(factsOf(request));
    return { isForwarded, address: key === UNKNOWN ? undefined : key };
  }
}
