import ipaddr from "ipaddr.js";

/** Blocks that no address from outside is in: "this network", private, shared, loopback and link-local. */
const INTERNAL = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.168.0.0/16",
].map((block) => ipaddr.IPv4.parseCIDR(block));

export function isInternal(ip: ipaddr.IPv4): boolean {
  return INTERNAL.some(([network, bits]) => ip.match(network, bits));
}

/** Whether the block of so many bits has internal addresses in it and others, too. */
export function isPartlyInternal(ip: ipaddr.IPv4, bits: number): boolean {
  return INTERNAL.some(([network, networkBits]) => bits < networkBits && network.match(ip, bits));
}
