import ipaddr from "ipaddr.js";
import type { Address } from "./address.ts";
import { embeddedIpv4 } from "./embedded-ipv4.ts";
import { isPartlyInternal } from "./internal-ipv4.ts";
import { type Ip, parseIp } from "./parse-ip.ts";

/** All addresses that share their first bits. */
export interface AddressBlock {
  readonly network: Ip;
  readonly bits: number;
}

/** A block of IPv6 that is no clear block of IPv4, though its address is one of IPv4. */
export interface UnclearBlock {
  /** What its author may have meant. */
  readonly instead: string;
}

const IPV4_BITS = 32;
const IPV6_BITS = 128;
const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;

/** An address or a CIDR block, whose host bits do not matter. Blocks of embedded IPv4 addresses are blocks of IPv4. */
export function parseBlock(text: string): AddressBlock | UnclearBlock | undefined {
  const slash = text.indexOf("/");
  const ip = parseIp(slash < 0 ? text : text.slice(0, slash));
  if (ip === undefined) return undefined;
  const mostBits = ip instanceof ipaddr.IPv6 ? IPV6_BITS : IPV4_BITS;
  const length = slash < 0 ? String(mostBits) : text.slice(slash + 1);
  if (!PREFIX_LENGTH.test(length) || Number(length) > mostBits) return undefined;
  return ip instanceof ipaddr.IPv6 ? ipv6Block(ip, Number(length)) : { network: ip, bits: Number(length) };
}

function ipv6Block(network: ipaddr.IPv6, bits: number): AddressBlock | UnclearBlock {
  const embedded = embeddedIpv4(network);
  if (embedded === undefined) return { network, bits };
  const { ip, bitsBefore, madeHere, isForbidden } = embedded;
  // `::ffff:10.0.0.1/32` would be `::/32`, which has `::1` in it.
  if (bits < bitsBefore) return { instead: `${ip.toString()}/${Math.min(bits, IPV4_BITS)}` };
  const ipv4Bits = Math.min(bits - bitsBefore, IPV4_BITS);
  // All of a form stands in many lists of IPv6 networks: it must not mean everybody by accident. Of a part that is half internal one
  // half would be looked for in the wrong family.
  if (ipv4Bits === 0 || (!madeHere && isPartlyInternal(ip, ipv4Bits)))
    return { instead: `${ip.toString()}/${ipv4Bits}` };
  // Addresses that lists leave in IPv6 are looked for there.
  return isForbidden ? { network, bits } : { network: ip, bits: ipv4Bits };
}

export function isInBlock({ listed }: Address, { network, bits }: AddressBlock): boolean {
  return listed.kind() === network.kind() && listed.match(network, bits);
}
