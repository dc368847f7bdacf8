import { show, TollgateError } from "../../core/errors.ts";
import type { Address } from "./address.ts";
import { AddressList } from "./address-list.ts";

/**
 * Whether a hop's word is taken for the address of the one before it. The socket's peer is at distance 0; its address, or that of
 * any other hop, is `undefined` where it is not known.
 */
export type Trusts = (hop: Address | undefined, distance: number) => boolean;

export const TRUSTS_NOBODY: Trusts = () => false;

const MOST_HOPS = 100;

const EXPECTED = `false, a number of hops from 0 to ${MOST_HOPS}, "loopback", "private" or a list of addresses and CIDR blocks`;

/** @throws TollgateError `ERR_OPTION` when it is no `TrustProxy`. */
export function compileTrust(trustProxy: unknown): Trusts {
  if (trustProxy === false || trustProxy === 0) return TRUSTS_NOBODY;
  if (typeof trustProxy === "number") return trustsNearest(trustProxy);
  if (trustProxy === "loopback" || trustProxy === "private") return trustsListed([trustProxy]);
  if (Array.isArray(trustProxy)) return trustProxy.length === 0 ? TRUSTS_NOBODY : trustsListed(trustProxy);
  throw refusal(trustProxy);
}

function trustsNearest(hops: number): Trusts {
  if (!Number.isInteger(hops) || hops < 0 || hops > MOST_HOPS) throw refusal(hops);
  return (_hop, distance) => distance < hops;
}

function trustsListed(entries: readonly unknown[]): Trusts {
  const list = new AddressList("trustProxy", entries);
  return (hop) => hop !== undefined && list.has(hop);
}

function refusal(trustProxy: unknown): TollgateError {
  const why = trustProxy === true ? ", which would believe whatever address anybody sends" : "";
  return new TollgateError("ERR_OPTION", `trustProxy: expected ${EXPECTED}, got ${show(trustProxy)}${why}`);
}
