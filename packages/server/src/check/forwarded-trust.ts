import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { clientIp, factsOf, type HttpFacts, type TrustProxy } from "tollgate/node";
import type { ForwardedTrust } from "./checked-request.ts";

/** The library's key of a client without an address. */
const UNKNOWN = "unknown";

/** No peer has it: routers discard what is sent to it (RFC 6666). */
const NOWHERE = "100::1";

/**
 * What the peers of a service may say of others, by the rules of the library.
 *
 * @throws TollgateError `ERR_OPTION` if the trust is malformed.
 */
export function forwardedTrust(trustProxy: TrustProxy): ForwardedTrust {
  // A whole address, not its network: limits choose their own prefix.
  const addressOf = clientIp({ trustProxy, ipv6Prefix: 128 });
  const connections = new WeakMap<Socket, boolean>();
  return {
    isTrusted({ socket }: IncomingMessage): boolean {
      const known = connections.get(socket);
      if (known !== undefined) return known;
      const isTrusted = addressOf(forwardedBy(socket.remoteAddress)) === NOWHERE;
      connections.set(socket, isTrusted);
      return isTrusted;
    },
    clientOf(request: IncomingMessage): string | undefined {
      const address = addressOf(factsOf(request));
      return address === UNKNOWN ? undefined : address;
    },
  };
}

/** The facts of a request that a peer forwards for an address. The peer is trusted if that counts as the client's. */
function forwardedBy(peer: string | undefined): HttpFacts {
  const header = (name: string) => (name === "x-forwarded-for" ? NOWHERE : undefined);
  return { method: "GET", path: "/", remoteAddress: peer, header };
}
