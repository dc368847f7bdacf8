/**
 * An address as groups of 16 bits, in the family in which it was written: two groups of IPv4, or eight of IPv6.
 *
 * Read here, not by a library: ipaddr.js was a third of what an adapter adds to a bundle, and had to be kept from octal
 * octets. Properties compare it with `BlockList` and `isIP` of Node, and with `URL`.
 */
export type Ip = readonly number[];

const GROUP_BITS = 16;
const IPV4_GROUPS = 2;
const IPV6_GROUPS = 8;

/** Eight groups of IPv6, the last two as a dotted quad. */
const LONGEST = 45;

const DOT = 0x2e;
const ZERO = 0x30;
const LARGEST_OCTET = 255;

export function isIpv6(ip: Ip): boolean {
  return ip.length === IPV6_GROUPS;
}

/** How many bits the addresses of a family have. */
export function bitsOf(ip: Ip): number {
  return ip.length * GROUP_BITS;
}

/** Parses an address as standards write it, without brackets, port and zone. Any other text gives `undefined`. */
export function parseIp(text: string): Ip | undefined {
  if (text.length > LONGEST) return undefined;
  if (isDottedQuad(text)) return groupsOfQuad(text);
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

function groupsOfQuad(quad: string): Ip {
  const [first = 0, second = 0, third = 0, fourth = 0] = quad.split(".").map(Number);
  return [first * 256 + second, third * 256 + fourth];
}

/** RFC 4291, section 2.2: `::` stands for one run of groups that are 0. */
function parseIpv6(text: string): Ip | undefined {
  const [before = "", after, ...others] = text.split("::");
  const left = groupsOf(before, after === undefined);
  const right = after === undefined ? [] : groupsOf(after, true);
  if (left === undefined || right === undefined || others.length > 0) return undefined;
  const missing = IPV6_GROUPS - left.length - right.length;
  if (after === undefined ? missing !== 0 : missing < 1) return undefined;
  return [...left, ...new Array<number>(missing).fill(0), ...right];
}

const GROUP = /^[\da-f]{1,4}$/i;

/** `isEnd`: the last two groups may be a dotted quad. */
function groupsOf(text: string, isEnd: boolean): Ip | undefined {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    if (GROUP.test(part)) groups.push(Number.parseInt(part, 16));
    else if (isEnd && index === parts.length - 1 && isDottedQuad(part)) groups.push(...groupsOfQuad(part));
    else return undefined;
  }
  return groups;
}

/** All addresses that share their first bits. */
export interface AddressBlock {
  readonly network: Ip;
  readonly bits: number;
}

export function isInBlock(ip: Ip, { network, bits }: AddressBlock): boolean {
  if (ip.length !== network.length) return false;
  for (let at = 0; at < ip.length; at += 1) {
    const rest = restBits(at, bits);
    if (ip[at]! >> rest !== network[at]! >> rest) return false;
  }
  return true;
}

/** The address with its first bits only. */
export function networkOf(ip: Ip, bits: number): Ip {
  return ip.map((group, at) => (group >> restBits(at, bits)) << restBits(at, bits));
}

/** How many bits of a group are behind the first `bits` of an address. */
function restBits(group: number, bits: number): number {
  return Math.min(Math.max(0, (group + 1) * GROUP_BITS - bits), GROUP_BITS);
}

const ZEROS = /\b0(?::0)+\b/g;

/** A dotted quad, or IPv6 as RFC 5952 writes it: `::` is the longest run of groups that are 0, the first of equals. */
export function textOf(ip: Ip): string {
  if (ip.length === IPV4_GROUPS) return ip.map((group) => `${group >> 8}.${group & 0xff}`).join(".");
  const text = ip.map((group) => group.toString(16)).join(":");
  let longest: RegExpExecArray | undefined;
  for (const run of text.matchAll(ZEROS)) if (run[0].length > (longest?.[0].length ?? 0)) longest = run;
  if (longest === undefined) return text;
  const { 0: zeros, index } = longest;
  return `${text.slice(0, index)}::${text.slice(index + zeros.length)}`.replace(/:{3,}/, "::");
}
