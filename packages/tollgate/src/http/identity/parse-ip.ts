import ipaddr, { type IPv4, type IPv6 } from "ipaddr.js";

/** An address as bits, in the family in which it was written. */
export type Ip = IPv4 | IPv6;

/** Eight groups of IPv6, the last two as a dotted quad. */
const LONGEST = 45;

const DOT = 0x2e;
const ZERO = 0x30;
const LARGEST_OCTET = 255;

/** Parses an address as standards write it, without brackets, port and zone. Any other text gives `undefined`. */
export function parseIp(text: string): Ip | undefined {
  if (text.length > LONGEST) return undefined;
  if (isDottedQuad(text)) return new ipaddr.IPv4(octetsOf(text));
  return text.includes(":") ? parseIpv6(text) : undefined;
}

/**
 * Whether the text, from an index on, is four decimal octets. Programs disagree about every other spelling of IPv4: the
 * first octet of `010.0.0.1` is 8 to some and 10 to others.
 */
export function isDottedQuad(text: string, from = 0): boolean {
  let dots = 0;
  let octet = -1;
  for (let i = from; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === DOT) {
      if (octet < 0) return false;
      dots += 1;
      octet = -1;
      continue;
    }
    const digit = code - ZERO;
    // Nothing may follow a leading zero.
    if (digit < 0 || digit > 9 || octet === 0) return false;
    octet = octet < 0 ? digit : octet * 10 + digit;
    if (octet > LARGEST_OCTET) return false;
  }
  return dots === 3 && octet >= 0;
}

function octetsOf(quad: string): number[] {
  return quad.split(".").map(Number);
}

function parseIpv6(text: string): IPv6 | undefined {
  const hex = withHexTail(text);
  if (hex === undefined || hex.includes("%")) return undefined;
  try {
    return ipaddr.IPv6.parse(hex);
  } catch {
    return undefined;
  }
}

/**
 * Rewrites a dotted quad at the end as two groups. ipaddr.js reads octal octets there, and takes `::1.2.3.4` for
 * `::ffff:1.2.3.4`. It reads `::102:304`, the same bits, correctly.
 */
function withHexTail(text: string): string | undefined {
  const tailAt = text.lastIndexOf(":") + 1;
  const tail = text.slice(tailAt);
  if (!tail.includes(".")) return text;
  if (!isDottedQuad(tail)) return undefined;
  const [first = 0, second = 0, third = 0, fourth = 0] = octetsOf(tail);
  return `${text.slice(0, tailAt)}${(first * 256 + second).toString(16)}:${(third * 256 + fourth).toString(16)}`;
}
