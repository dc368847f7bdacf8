import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { clientIp, factsOf, type TrustProxy } from "tollgate/node";
import { trustedPeer } from "../http/trusted-peer.ts";

/** What the peers of a service may say of others. */
export interface ForwardedTrust {
  /** Whether the peer is a proxy whose word counts. */
  isTrusted(request: IncomingMessage): boolean;
  /** The client's address; `undefined` if no trusted hop tells one. */
  clientOf(request: IncomingMessage): string | undefined;
}

/** The library's key of a client without an address. */
const UNKNOWN = "unknown";

/**
 * The trust by the rules of the library.
 *
 * @throws TollgateError `ERR_OPTION` if it is malformed.
 */
export function forwardedTrust(trustProxy: TrustProxy): ForwardedTrust {
  // A whole address, not its network: limits choose their own prefix.
  const addressOf = clientIp({ trustProxy, ipv6Prefix: 128 });
  const isTrusted = trustedPeer(trustProxy);
  // Proxies keep their connections.
  const connections = new WeakMap<Socket, boolean>();
  return {
    isTrusted(request) {
      const known = connections.get(request.socket);
      if (known !== undefined) return known;
      const trusted = isTrusted(request);
      connections.set(request.socket, trusted);
      return trusted;
    },
    clientOf(request) {
      const address = addressOf(factsOf(request));
      return address === UNKNOWN ? undefined : address;
    },
  };
}
