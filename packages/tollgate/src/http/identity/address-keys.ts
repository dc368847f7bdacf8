import ipaddr from "ipaddr.js";
import type { Ip } from "./parse-ip.ts";

const IPV6_BITS = 128;

/** Turns addresses into keys: one of IPv4 each, one for every network of IPv6 with that many bits in front. */
export class AddressKeys {
  readonly #prefix: number;
  readonly #mask: readonly number[];

  constructor(prefix: number) {
    this.#prefix = prefix;
    this.#mask = ipaddr.IPv6.subnetMaskFromPrefixLength(prefix).parts;
  }

  of(ip: Ip): string {
    if (ip instanceof ipaddr.IPv4) return ip.toString();
    if (this.#prefix === IPV6_BITS) return ip.toRFC5952String();
    const network = new ipaddr.IPv6(ip.parts.map((part, index) => part & (this.#mask[index] ?? 0)));
    return `${network.toRFC5952String()}/${this.#prefix}`;
  }
}
