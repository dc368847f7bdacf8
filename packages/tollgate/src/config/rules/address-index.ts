import type { Address } from "../../http/identity/address.ts";
import { blocksOf } from "../../http/identity/address-list.ts";
import { type Ip, isIpv6, networkOf } from "../../http/identity/parse-ip.ts";

/** The blocks of one length: values by the text of their first bits. */
interface Level<Value> {
  readonly bits: number;
  readonly values: Map<string, Value[]>;
}

/** Values by blocks of addresses. A search takes one look-up for each length of a block that the index has. */
export class AddressIndex<Value> {
  readonly #ipv4: Level<Value>[] = [];
  readonly #ipv6: Level<Value>[] = [];

  /** @throws TollgateError `ERR_OPTION` unless the entry is an address, a CIDR block, `private` or `loopback`. */
  add(entry: string, value: Value): void {
    for (const { network, bits } of blocksOf("ip", entry)) {
      const levels = this.#levelsOf(network);
      let level = levels.find((other) => other.bits === bits);
      if (level === undefined) {
        level = { bits, values: new Map() };
        levels.push(level);
      }
      const key = firstBits(network, bits);
      const values = level.values.get(key) ?? [];
      values.push(value);
      level.values.set(key, values);
    }
  }

  /** The values of all blocks that contain the address. A value of several blocks may come several times. */
  find({ listed }: Address, out: Value[]): void {
    for (const { bits, values } of this.#levelsOf(listed)) {
      const found = values.get(firstBits(listed, bits));
      if (found !== undefined) for (const value of found) out.push(value);
    }
  }

  has(address: Address): boolean {
    const found: Value[] = [];
    this.find(address, found);
    return found.length > 0;
  }

  #levelsOf(ip: Ip): Level<Value>[] {
    return isIpv6(ip) ? this.#ipv6 : this.#ipv4;
  }
}

function firstBits(ip: Ip, bits: number): string {
  return networkOf(ip, bits).join(".");
}
