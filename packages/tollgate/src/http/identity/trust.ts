import { optionError } from "../../core/check-options.ts";
import type { Address } from "./address.ts";
import { AddressList } from "./address-list.ts";

/**
 * Which hops may tell the address of the hop before them. `false`: none, the socket's peer is the client. A number N:
 * the N nearest hops, beginning with the socket's peer; the client is the address that the N-th one tells. `"loopback"`
 * (127.0.0.0/8, ::1), `"private"` (that, RFC 1918, fc00::/7 and link-local), or a list of addresses, CIDR blocks and
 * these words: hops with these addresses; the client is the first hop, from the peer on, that is not in the list.
 */
export type TrustProxy = false | number | "loopback" | "private" | readonly string[];

/** Whether a hop is trusted. The socket's peer is at distance 0. An unknown address is `undefined`. */
export type Trusts = (hop: Address | undefined, distance: number) => boolean;

export const TRUSTS_NONE: Trusts = () => false;

const MOST_HOPS = 100;

const EXPECTED = `false, a number of hops from 0 to ${MOST_HOPS}, "loopback", "private" or a list of addresses and CIDR blocks`;

/** @throws TollgateError `ERR_OPTION` unless the option is a `TrustProxy`. */
export function compileTrust(trustProxy: unknown): Trusts {
  if (trustProxy === false || trustProxy === 0) return TRUSTS_NONE;
  if (typeof trustProxy === "number") return trustsNearest(trustProxy);
  if (trustProxy === "loopback" || trustProxy === "private") return trustsListed([trustProxy]);
  if (Array.isArray(trustProxy)) return trustProxy.length === 0 ? TRUSTS_NONE : trustsListed(trustProxy);
  const hint = trustProxy === true ? ", which would trust any address that a client sends" : "";
  throw optionError("trustProxy", EXPECTED, trustProxy, hint);
}

function trustsNearest(hops: number): Trusts {
  if (!Number.isInteger(hops) || hops < 0 || hops > MOST_HOPS) throw optionError("trustProxy", EXPECTED, hops);
  return (_hop, distance) => distance < hops;
}

function trustsListed(entries: readonly unknown[]): Trusts {
  const list = new AddressList("trustProxy", entries);
  return (hop) => hop !== undefined && list.has(hop);
}
