const DOT = 0x2e;
const ZERO = 0x30;
const LARGEST_OCTET = 255;

/**
 * Whether the text, from an index on, is an IPv4 address as everybody reads it: four decimal octets. Other spellings mean different
 * addresses to different programs: in `010.0.0.1` the first octet is 8 to some, 10 to others.
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

/** The octets of a dotted quad. */
export function octetsOf(quad: string): number[] {
  return quad.split(".").map(Number);
}
