import ipaddr from "ipaddr.js";
import { isInternal } from "./internal-ipv4.ts";

/** A part of IPv6 whose addresses carry an IPv4 address right behind the prefix. */
interface Embedding {
  readonly network: ipaddr.IPv6;
  readonly bits: number;
  readonly madeHere: boolean;
}

const PART_BITS = 16;

/** IPv4-mapped (RFC 4291), NAT64's well-known prefix (RFC 6052) and 6to4 (RFC 3056). */
const EMBEDDINGS: readonly Embedding[] = [
  { network: ipaddr.IPv6.parse("::ffff:0:0"), bits: 96, madeHere: true },
  { network: ipaddr.IPv6.parse("64:ff9b::"), bits: 96, madeHere: false },
  { network: ipaddr.IPv6.parse("2002::"), bits: 16, madeHere: false },
];

/** The IPv4 address within one of IPv6. */
export interface EmbeddedIpv4 {
  readonly ip: ipaddr.IPv4;
  /** How many bits stand in front of it. */
  readonly bitsBefore: number;
  /** The host itself writes its IPv4 peers like this; the other forms arrive from the network. */
  readonly madeHere: boolean;
  /**
   * RFC 6052 and RFC 3964 forbid NAT64 and 6to4 forms of internal addresses. Whoever sends from one has not got the internal
   * address, so no list takes him for it.
   */
  readonly isForbidden: boolean;
}

/** The IPv4 address that an IPv6 address stands for, if it does. */
export function embeddedIpv4(ip: ipaddr.IPv6): EmbeddedIpv4 | undefined {
  const found = EMBEDDINGS.find(({ network, bits }) => ip.match(network, bits));
  if (found === undefined) return undefined;
  const { bits: bitsBefore, madeHere } = found;
  const at = bitsBefore / PART_BITS;
  const [high = 0, low = 0] = ip.parts.slice(at, at + 2);
  const ipv4 = new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
  return { ip: ipv4, bitsBefore, madeHere, isForbidden: !madeHere && isInternal(ipv4) };
}
