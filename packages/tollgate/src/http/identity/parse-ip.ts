import ipaddr from "ipaddr.js";
import { isDottedQuad, octetsOf } from "./dotted-quad.ts";

/** An address as bits, in the family in which it was written. */
export type Ip = ipaddr.IPv4 | ipaddr.IPv6;

/** Eight groups of IPv6, the last two as a dotted quad. */
const LONGEST = 45;

/** An address as standards write it, without brackets, port and zone; `undefined` for everything else. */
export function parseIp(text: string): Ip | undefined {
  if (text.length > LONGEST) return undefined;
  if (isDottedQuad(text)) return new ipaddr.IPv4(octetsOf(text));
  return text.includes(":") ? parseIpv6(text) : undefined;
}

function parseIpv6(text: string): ipaddr.IPv6 | undefined {
  const hex = withHexTail(text);
  if (hex === undefined || hex.includes("%")) return undefined;
  try {
    return ipaddr.IPv6.parse(hex);
  } catch {
    return undefined;
  }
}

/**
 * The text with its dotted quad, if there is one, as two groups: ipaddr.js reads octal octets there, and takes `::1.2.3.4` for
 * `::ffff:1.2.3.4`, but `::102:304`, the same bits, for what it is.
 */
function withHexTail(text: string): string | undefined {
  const tailAt = text.lastIndexOf(":") + 1;
  const tail = text.slice(tailAt);
  if (!tail.includes(".")) return text;
  if (!isDottedQuad(tail)) return undefined;
  const [first = 0, second = 0, third = 0, fourth = 0] = octetsOf(tail);
  return `${text.slice(0, tailAt)}${(first * 256 + second).toString(16)}:${(third * 256 + fourth).toString(16)}`;
}
