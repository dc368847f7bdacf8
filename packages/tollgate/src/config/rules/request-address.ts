import { type Address, keyOfIp, parseAddress } from "../../http/identity/address.ts";
import { isDottedQuad } from "../../http/identity/parse-ip.ts";

const IPV6_PREFIX = 64;
const NETWORK_SUFFIX = `/${IPV6_PREFIX}`;

/** The key of requests whose address is not known. They share it: a closed connection has no address. */
const UNKNOWN = "unknown";

/** The key of an address: IPv4 as it is, the network for IPv6. A network may be given as its key. */
export function keyOfAddress(text: string): string | undefined {
  if (isDottedQuad(text)) return text;
  const network = text.endsWith(NETWORK_SUFFIX) ? text.slice(0, -NETWORK_SUFFIX.length) : text;
  const address = parseAddress(network);
  if (address === undefined || (network !== text && !network.includes(":"))) return undefined;
  return keyOfIp(address.counted, IPV6_PREFIX);
}

const MAPPED = "::ffff:";

/** Sockets that serve both families write IPv4 addresses so. */
function withoutMapping(text: string): string {
  return text.startsWith(MAPPED) && isDottedQuad(text, MAPPED.length) ? text.slice(MAPPED.length) : text;
}

/** The address of a request, read once, and parsed when it is asked for. */
export class RequestAddress {
  readonly #text: string;
  #address: Address | undefined;
  #isParsed: boolean;
  #key: string | undefined;

  /** `undefined` for an address that is not known. */
  constructor(given: string | Address | undefined) {
    this.#text = typeof given === "string" ? withoutMapping(given) : "";
    this.#isParsed = typeof given !== "string";
    if (typeof given === "object") this.#address = given;
  }

  /** Each rule by address asks for it. */
  get key(): string {
    this.#key ??= isDottedQuad(this.#text) ? this.#text : this.#keyOfParsed();
    return this.#key;
  }

  get parsed(): Address | undefined {
    if (this.#isParsed) return this.#address;
    this.#isParsed = true;
    this.#address = parseAddress(this.#text);
    return this.#address;
  }

  #keyOfParsed(): string {
    const { parsed } = this;
    return parsed === undefined ? UNKNOWN : keyOfIp(parsed.counted, IPV6_PREFIX);
  }
}
