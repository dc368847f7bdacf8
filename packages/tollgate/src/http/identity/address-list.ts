import { optionError } from "../../core/check-options.ts";
import type { Address } from "./address.ts";
import { embeddedIpv4, isPartlyInternal } from "./embedded-ipv4.ts";
import { type AddressBlock, bitsOf, type Ip, isInBlock, isIpv6, parseIp, textOf } from "./parse-ip.ts";

/** A block of IPv6 in the range of embedded IPv4 addresses that is not exactly one block of IPv4. */
interface AmbiguousBlock {
  /** What its author may have meant. */
  readonly instead: string;
}

const LOOPBACK: readonly string[] = ["127.0.0.0/8", "::1"];

/** Loopback, the private networks of RFC 1918 and RFC 4193, and link-local addresses. */
const PRIVATE: readonly string[] = [
  ...LOOPBACK,
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "169.254.0.0/16",
  "fc00::/7",
  "fe80::/10",
];

const WORDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["loopback", LOOPBACK],
  ["private", PRIVATE],
]);

const EXPECTED = 'addresses, CIDR blocks, "loopback" or "private"';

/** A list of addresses and blocks. A look-up compares them in order. */
export class AddressList {
  readonly #blocks: readonly AddressBlock[];

  /**
   * @throws TollgateError `ERR_OPTION`, naming the option and the entry, unless all entries are addresses or blocks.
   */
  constructor(option: string, entries: unknown) {
    if (!Array.isArray(entries)) throw optionError(option, `a list of ${EXPECTED}`, entries);
    this.#blocks = Array.from(entries, (entry: unknown) => blocksOf(option, entry)).flat();
  }

  has(address: Address): boolean {
    for (const block of this.#blocks) if (isInBlock(address.listed, block)) return true;
    return false;
  }
}

/** @throws TollgateError `ERR_OPTION`, naming the option and the entry, unless the entry is addresses or blocks. */
export function blocksOf(option: string, entry: unknown): AddressBlock[] {
  const texts = WORDS.get(entry) ?? [entry];
  return texts.map((text) => {
    const block = typeof text === "string" ? parseBlock(text) : undefined;
    if (block === undefined) throw optionError(option, EXPECTED, entry);
    if ("instead" in block) {
      throw optionError(option, `${EXPECTED}, and IPv4 in its own form, such as "${block.instead}"`, entry);
    }
    return block;
  });
}

const IPV4_BITS = 32;
const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;

/**
 * Parses an address or a CIDR block. Host bits are ignored. A block of embedded IPv4 addresses becomes a block of IPv4.
 */
function parseBlock(text: string): AddressBlock | AmbiguousBlock | undefined {
  const slash = text.indexOf("/");
  const ip = parseIp(slash < 0 ? text : text.slice(0, slash));
  if (ip === undefined) return undefined;
  const mostBits = bitsOf(ip);
  const length = slash < 0 ? String(mostBits) : text.slice(slash + 1);
  if (!PREFIX_LENGTH.test(length) || Number(length) > mostBits) return undefined;
  return isIpv6(ip) ? ipv6Block(ip, Number(length)) : { network: ip, bits: Number(length) };
}

function ipv6Block(network: Ip, bits: number): AddressBlock | AmbiguousBlock {
  const embedded = embeddedIpv4(network);
  if (embedded === undefined) return { network, bits };
  const { ip, bitsBefore, isLocal, isForbidden } = embedded;
  // `::ffff:10.0.0.1/32` would be `::/32`, which contains `::1`.
  if (bits < bitsBefore) return { instead: `${textOf(ip)}/${Math.min(bits, IPV4_BITS)}` };
  const ipv4Bits = Math.min(bits - bitsBefore, IPV4_BITS);
  // Many lists of IPv6 networks contain a whole embedding: it must not match all of IPv4 by accident. In a block that
  // is partly internal, `isInBlock` would look for one part in the wrong family.
  if (ipv4Bits === 0 || (!isLocal && isPartlyInternal(ip, ipv4Bits))) {
    return { instead: `${textOf(ip)}/${ipv4Bits}` };
  }
  // `Address.listed` leaves forbidden forms in IPv6.
  return isForbidden ? { network, bits } : { network: ip, bits: ipv4Bits };
}
