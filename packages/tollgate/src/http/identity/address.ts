import { embeddedIpv4 } from "./embedded-ipv4.ts";
import { bitsOf, type Ip, isDottedQuad, isIpv6, networkOf, parseIp, textOf } from "./parse-ip.ts";

/** The address of a client or a proxy, independent of its spelling. */
export interface Address {
  /** What keys are made of: the embedded IPv4 address if there is one, else the address itself. */
  readonly counted: Ip;
  /** What lists compare: the same, except that forbidden NAT64 and 6to4 forms of internal addresses stay IPv6. */
  readonly listed: Ip;
}

/** Brackets, a zone, an address and a port. Longer text is no address. */
const LONGEST = 128;

/** A number, or an obfuscated port (RFC 7239). */
const PORT = /^:(?:\d{1,5}|_[\w.-]+)$/;
const ZONE = /^[\w.~%-]+$/;

/**
 * Parses an address as proxies write it, and drops port and zone: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`,
 * `[2001:db8::1]`, `[2001:db8::1]:4711`, `fe80::1%eth0`. `unknown`, `_hidden` and any other text give `undefined`.
 */
export function parseAddress(node: string): Address | undefined {
  if (node.length > LONGEST) return undefined;
  const host = hostOf(node);
  const text = host?.includes(":") ? withoutZone(host) : host;
  const ip = text === undefined ? undefined : parseIp(text);
  return ip === undefined ? undefined : addressOf(ip);
}

const MAPPED = "::ffff:";

/** A fast path: nearly every peer has an IPv4 address, which the system writes in one of these two forms. */
export function plainIpv4(text: string): string | undefined {
  if (isDottedQuad(text)) return text;
  return text.startsWith(MAPPED) && isDottedQuad(text, MAPPED.length) ? text.slice(MAPPED.length) : undefined;
}

function addressOf(ip: Ip): Address {
  const embedded = isIpv6(ip) ? embeddedIpv4(ip) : undefined;
  if (embedded === undefined) return { counted: ip, listed: ip };
  return { counted: embedded.ip, listed: embedded.isForbidden ? ip : embedded.ip };
}

function hostOf(node: string): string | undefined {
  if (node.startsWith("[")) return bracketed(node);
  const colon = node.indexOf(":");
  // Several colons mean IPv6, where a port needs brackets.
  if (colon < 0 || node.includes(":", colon + 1)) return node;
  return PORT.test(node.slice(colon)) ? node.slice(0, colon) : undefined;
}

/** Only IPv6 addresses may have brackets. */
function bracketed(node: string): string | undefined {
  const close = node.indexOf("]");
  const host = node.slice(1, close);
  const rest = node.slice(close + 1);
  const isSound = close > 0 && host.includes(":") && (rest === "" || PORT.test(rest));
  return isSound ? host : undefined;
}

function withoutZone(host: string): string | undefined {
  const percent = host.indexOf("%");
  if (percent < 0) return host;
  return ZONE.test(host.slice(percent + 1)) ? host.slice(0, percent) : undefined;
}

/** The key of an address: IPv4 whole, IPv6 by its first bits. */
export function keyOfIp(ip: Ip, ipv6Prefix: number): string {
  if (!isIpv6(ip) || ipv6Prefix === bitsOf(ip)) return textOf(ip);
  return `${textOf(networkOf(ip, ipv6Prefix))}/${ipv6Prefix}`;
}
