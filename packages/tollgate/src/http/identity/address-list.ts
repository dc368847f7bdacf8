import { show, TollgateError } from "../../core/errors.ts";
import type { Address } from "./address.ts";
import { type AddressBlock, isInBlock, parseBlock } from "./address-block.ts";

const LOOPBACK: readonly string[] = ["127.0.0.0/8", "::1"];

/** Loopback, the private networks of RFC 1918 and RFC 4193, and link-local addresses. */
const PRIVATE: readonly string[] = [
  ...LOOPBACK,
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "169.254.0.0/16",
  "fc00::/7",
  "fe80::/10",
];

const WORDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["loopback", LOOPBACK],
  ["private", PRIVATE],
]);

const EXPECTED = 'addresses, CIDR blocks, "loopback" or "private"';

/** Addresses and blocks of them, looked through in order. */
export class AddressList {
  readonly #blocks: readonly AddressBlock[];

  /** @throws TollgateError `ERR_OPTION`, naming the option and the entry, for what is no list of addresses and blocks. */
  constructor(option: string, entries: unknown) {
    if (!Array.isArray(entries)) throw refusal(option, `a list of ${EXPECTED}`, entries);
    this.#blocks = Array.from(entries, (entry: unknown) => blocksOf(option, entry)).flat();
  }

  has(address: Address): boolean {
    for (const block of this.#blocks) if (isInBlock(address, block)) return true;
    return false;
  }
}

function blocksOf(option: string, entry: unknown): AddressBlock[] {
  const texts = WORDS.get(entry) ?? [entry];
  return texts.map((text) => {
    const block = typeof text === "string" ? parseBlock(text) : undefined;
    if (block === undefined) throw refusal(option, EXPECTED, entry);
    if ("instead" in block) {
      throw refusal(option, `${EXPECTED}, and IPv4 in its own form, such as "${block.instead}"`, entry);
    }
    return block;
  });
}

function refusal(option: string, expected: string, got: unknown): TollgateError {
  return new TollgateError("ERR_OPTION", `${option}: expected ${expected}, got ${show(got)}`);
}
