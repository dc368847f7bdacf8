import type { IncomingMessage } from "node:http";
import { clientIp, type TrustProxy } from "tollgate/node";

/** An address that no peer has: packets to it are discarded (RFC 6666). */
const FORWARDED = "100::1";

/** Tells whether the peer of a request is a proxy whose headers count. */
export type TrustedPeer = (request: IncomingMessage) => boolean;

/** A peer is trusted if the library would take the client's address from it. */
export function trustedPeer(trustProxy: TrustProxy): TrustedPeer {
  if (trustProxy === false) return () => false;
  const clientOf = clientIp({ trustProxy });
  const header = (name: string) => (name === "x-forwarded-for" ? FORWARDED : undefined);
  const forwarded = clientIp()({ method: "GET", path: "/", remoteAddress: FORWARDED, header: () => undefined });
  return ({ socket }) =>
    clientOf({ method: "GET", path: "/", remoteAddress: socket.remoteAddress, header }) === forwarded;
}
