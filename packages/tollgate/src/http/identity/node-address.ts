import { type Address, addressOf } from "./address.ts";
import { parseIp } from "./parse-ip.ts";

/** Brackets, a zone, an address and a port; longer ones are nobody's. */
const LONGEST = 128;

/** With a number, or hidden (RFC 7239). */
const PORT = /^:(?:\d{1,5}|_[\w.-]+)$/;
const ZONE = /^[\w.~%-]+$/;

/**
 * The address of a node as proxies write it, with its port and zone dropped: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`,
 * `[2001:db8::1]`, `[2001:db8::1]:4711`, `fe80::1%eth0`. `undefined` for `unknown`, `_hidden` and everything else.
 */
export function nodeAddress(node: string): Address | undefined {
  if (node.length > LONGEST) return undefined;
  const host = hostOf(node);
  const text = host?.includes(":") ? withoutZone(host) : host;
  const ip = text === undefined ? undefined : parseIp(text);
  return ip === undefined ? undefined : addressOf(ip);
}

function hostOf(node: string): string | undefined {
  if (node.startsWith("[")) return bracketed(node);
  const colon = node.indexOf(":");
  // With several colons it is IPv6, where a port needs brackets.
  if (colon < 0 || node.includes(":", colon + 1)) return node;
  return PORT.test(node.slice(colon)) ? node.slice(0, colon) : undefined;
}

/** Brackets are for IPv6 only. */
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
