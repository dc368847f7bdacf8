import ipaddr from "ipaddr.js";
import type { Address } from "./address.ts";
import { embeddedIpv4 } from "./embedded-ipv4.ts";
import { type Ip, parseIp } from "./parse-ip.ts";

/** All addresses that share their first bits. */
export interface AddressBlock {
  readonly network: Ip;
  readonly bits: number;
}

const IPV4_BITS = 32;
const IPV6_BITS = 128;
const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;

/** An address or a CIDR block, whose host bits do not matter. Blocks of embedded IPv4 addresses are blocks of IPv4. */
export function parseBlock(text: string): AddressBlock | undefined {
  const slash = text.indexOf("/");
  const ip = parseIp(slash < 0 ? text : text.slice(0, slash));
  if (ip === undefined) return undefined;
  const mostBits = ip instanceof ipaddr.IPv6 ? IPV6_BITS : IPV4_BITS;
  const length = slash < 0 ? String(mostBits) : text.slice(slash + 1);
  if (!PREFIX_LENGTH.test(length) || Number(length) > mostBits) return undefined;
  return ip instanceof ipaddr.IPv6 ? ipv6Block(ip, Number(length)) : { network: ip, bits: Number(length) };
}

function ipv6Block(network: ipaddr.IPv6, bits: number): AddressBlock {
  const embedded = embeddedIpv4(network);
  if (embedded === undefined || bits < embedded.bitsBefore) return { network, bits };
  const ipv4Bits = Math.min(bits - embedded.bitsBefore, IPV4_BITS);
  // Addresses that lists leave in IPv6 are looked for there; the whole of a form holds others, too.
  if (embedded.isForbidden && ipv4Bits > 0) return { network, bits };
  return { network: embedded.ip, bits: ipv4Bits };
}

export function isInBlock({ listed }: Address, { network, bits }: AddressBlock): boolean {
  return listed.kind() === network.kind() && listed.match(network, bits);
}
