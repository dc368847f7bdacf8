import ipaddr from "ipaddr.js";
import { embeddedIpv4 } from "./embedded-ipv4.ts";
import type { Ip } from "./parse-ip.ts";

/** Somebody's address, whatever its spelling. */
export interface Address {
  /** What it is counted as: the IPv4 address that it stands for, or else itself. */
  readonly counted: Ip;
  /** What lists compare: the same, but for the NAT64 and 6to4 forms of internal addresses, which are nobody's. */
  readonly listed: Ip;
}

export function addressOf(ip: Ip): Address {
  const embedded = ip instanceof ipaddr.IPv6 ? embeddedIpv4(ip) : undefined;
  if (embedded === undefined) return { counted: ip, listed: ip };
  return { counted: embedded.ip, listed: embedded.isForbidden ? ip : embedded.ip };
}
