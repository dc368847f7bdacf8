import { type Address, keyOfIp, parseAddress, plainIpv4 } from "../../http/identity/address.ts";
import { blocksOf } from "../../http/identity/address-list.ts";
import { type Ip, isIpv6 } from "../../http/identity/parse-ip.ts";

const IPV6_PREFIX = 64;
const NETWORK_SUFFIX = `/${IPV6_PREFIX}`;

/** The key of requests whose address is not known. They share it: a closed connection has no address. */
const UNKNOWN = "unknown";

/** The address of a request's client, parsed only if it had to be. `""` if it is not known. */
export type ClientAddress = Address | string;

/** The key of an address: IPv4 as it is, the network for IPv6. A network may be given as its key. */
export function keyOfAddress(text: string): string | undefined {
  if (!text.endsWith(NETWORK_SUFFIX)) return keyOf(text);
  const network = text.slice(0, -NETWORK_SUFFIX.length);
  return network.includes(":") ? keyOf(network) : undefined;
}

export function keyOfClient(client: ClientAddress): string {
  return keyOf(client) ?? UNKNOWN;
}

/** Most addresses need not be parsed. */
function keyOf(client: ClientAddress): string | undefined {
  const plain = typeof client === "string" ? plainIpv4(client) : undefined;
  if (plain !== undefined) return plain;
  const address = parsed(client);
  return address === undefined ? undefined : keyOfIp(address.counted, IPV6_PREFIX);
}

/** An address as its bits, behind the number of its family. `""` if it is not known. */
export function bitsOfClient(client: ClientAddress): string {
  const address = parsed(client);
  return address === undefined ? "" : bitsOf(address.listed);
}

/**
 * The patterns of the bits of all addresses that an entry of a list stands for.
 *
 * @throws TollgateError `ERR_OPTION` unless the entry is an address, a CIDR block, `private` or `loopback`.
 */
export function bitPatterns(entry: string): readonly string[] {
  return blocksOf("ip", entry).map(({ network, bits }) => `${bitsOf(network).slice(0, 1 + bits)}*`);
}

const BITS_OF_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(2).padStart(8, "0"));

function bitsOf(ip: Ip): string {
  const groups = ip.map((group) => BITS_OF_BYTES[group >> 8]! + BITS_OF_BYTES[group & 0xff]!);
  return (isIpv6(ip) ? "6" : "4") + groups.join("");
}

function parsed(client: ClientAddress): Address | undefined {
  return typeof client === "string" ? parseAddress(client) : client;
}
