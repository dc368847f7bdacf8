import { type AddressBlock, type Ip, isInBlock, parseIp } from "./parse-ip.ts";

/** A block of IPv6 whose addresses carry an IPv4 address right behind the prefix. */
interface Embedding extends AddressBlock {
  readonly isLocal: boolean;
}

const PART_BITS = 16;

/** IPv4-mapped (RFC 4291), NAT64's well-known prefix (RFC 6052) and 6to4 (RFC 3056). */
const EMBEDDINGS: readonly Embedding[] = [
  { ...blockOf("::ffff:0:0", 96), isLocal: true },
  { ...blockOf("64:ff9b::", 96), isLocal: false },
  { ...blockOf("2002::", 16), isLocal: false },
];

/** Blocks without addresses of the internet: "this network", private, shared, loopback and link-local. */
const INTERNAL: readonly AddressBlock[] = [
  blockOf("0.0.0.0", 8),
  blockOf("10.0.0.0", 8),
  blockOf("100.64.0.0", 10),
  blockOf("127.0.0.0", 8),
  blockOf("169.254.0.0", 16),
  blockOf("172.16.0.0", 12),
  blockOf("192.168.0.0", 16),
];

function blockOf(text: string, bits: number): AddressBlock {
  return { network: parseIp(text) as Ip, bits };
}

/** The IPv4 address within an IPv6 address. */
export interface EmbeddedIpv4 {
  readonly ip: Ip;
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
export function embeddedIpv4(ip: Ip): EmbeddedIpv4 | undefined {
  const found = EMBEDDINGS.find((block) => isInBlock(ip, block));
  if (found === undefined) return undefined;
  const { bits: bitsBefore, isLocal } = found;
  const at = bitsBefore / PART_BITS;
  const ipv4 = ip.slice(at, at + 2);
  return { ip: ipv4, bitsBefore, isLocal, isForbidden: !isLocal && INTERNAL.some((block) => isInBlock(ipv4, block)) };
}

/** Whether a block contains both internal addresses and others. */
export function isPartlyInternal(ip: Ip, bits: number): boolean {
  return INTERNAL.some((internal) => bits < internal.bits && isInBlock(internal.network, { network: ip, bits }));
}
