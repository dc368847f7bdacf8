import ipaddr from "ipaddr.js";

/** A block of IPv6 whose addresses carry an IPv4 address right behind the prefix. */
interface Embedding {
  readonly network: ipaddr.IPv6;
  readonly bits: number;
  readonly isLocal: boolean;
}

const PART_BITS = 16;

/** IPv4-mapped (RFC 4291), NAT64's well-known prefix (RFC 6052) and 6to4 (RFC 3056). */
const EMBEDDINGS: readonly Embedding[] = [
  { network: ipaddr.IPv6.parse("::ffff:0:0"), bits: 96, isLocal: true },
  { network: ipaddr.IPv6.parse("64:ff9b::"), bits: 96, isLocal: false },
  { network: ipaddr.IPv6.parse("2002::"), bits: 16, isLocal: false },
];

/** Blocks without addresses of the internet: "this network", private, shared, loopback and link-local. */
const INTERNAL = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.168.0.0/16",
].map((block) => ipaddr.IPv4.parseCIDR(block));

/** The IPv4 address within an IPv6 address. */
export interface EmbeddedIpv4 {
  readonly ip: ipaddr.IPv4;
  /** The number of bits in front of it. */
  readonly bitsBefore: number;
  /** Whether the host itself writes its IPv4 peers in this form. The other forms arrive from the network. */
  readonly isLocal: boolean;
  /**
   * Whether the form is forbidden: RFC 6052 and RFC 3964 forbid NAT64 and 6to4 forms of internal addresses. The sender
   * of such an address does not own the internal one, so address lists must not match it.
   */
  readonly isForbidden: boolean;
}

/** Finds the IPv4 address that an IPv6 address stands for, if it stands for one. */
export function embeddedIpv4(ip: ipaddr.IPv6): EmbeddedIpv4 | undefined {
  const found = EMBEDDINGS.find(({ network, bits }) => ip.match(network, bits));
  if (found === undefined) return undefined;
  const { bits: bitsBefore, isLocal } = found;
  const at = bitsBefore / PART_BITS;
  const [high = 0, low = 0] = ip.parts.slice(at, at + 2);
  const ipv4 = new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
  return { ip: ipv4, bitsBefore, isLocal, isForbidden: !isLocal && isInternal(ipv4) };
}

function isInternal(ip: ipaddr.IPv4): boolean {
  return INTERNAL.some(([network, bits]) => ip.match(network, bits));
}

/** Whether a block contains both internal addresses and others. */
export function isPartlyInternal(ip: ipaddr.IPv4, bits: number): boolean {
  return INTERNAL.some(([network, networkBits]) => bits < networkBits && network.match(ip, bits));
}
