import type { IncomingMessage } from "node:http";
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

const MOST_RECENT = 4_096;
/** One or two addresses. A client may send as many as fit into a head. */
const MOST_CHARACTERS = 96;
/** One in so many misses is cached: frequent clients get in soon, and a flood of different ones costs less. */
const ONE_IN = 4;

/** Finds the clients of checks, by the library's rules of trust. */
export class ForwardedClients {
  readonly #keyOf: KeyOf;
  readonly #isTrusted: TrustedPeer;
  /** By the peer and what it forwards. A look-up takes half the time of a check less than reading the addresses. */
  #recent = new Map<string, ForwardedClient>();
  #misses = 0;

  /** @throws TollgateError `ERR_OPTION` if the trust is malformed. */
  constructor(trustProxy: TrustProxy) {
    // A whole address, not its network: limits choose their own prefix.
    this.#keyOf = clientIp({ trustProxy, ipv6Prefix: 128 });
    this.#isTrusted = trustedPeer(trustProxy);
  }

  of(request: IncomingMessage): ForwardedClient {
    const forwarded = requestHeader(request, "x-forwarded-for");
    if (forwarded !== undefined && forwarded.length > MOST_CHARACTERS) return this.#read(request);
    const { remoteAddress } = request.socket;
    const id = forwarded === undefined ? `${remoteAddress}` : `${remoteAddress} ${forwarded}`;
    const recent = this.#recent.get(id);
    if (recent !== undefined) return recent;
    const client = this.#read(request);
    this.#misses += 1;
    if (this.#misses % ONE_IN === 0) this.#cache(id, client);
    return client;
  }

  #cache(id: string, client: ForwardedClient): void {
    // Starting over costs frequent clients almost nothing. Evicting in order would cost every check.
    if (this.#recent.size === MOST_RECENT) this.#recent = new Map();
    this.#recent.set(id, client);
  }

  #read(request: IncomingMessage): ForwardedClient {
    const isForwarded = this.#isTrusted(request);
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
