import { clientIp } from "tollgate/fetch";
import { type Bytes, bytesOf, indexOf, textOf } from "../bytes.ts";

/** An address without its port: `192.0.2.1:443`, `[2001:db8::1]:443`. */
export function withoutPort(text: string): string {
  if (text.startsWith("[")) return text.slice(1, text.indexOf("]"));
  const colon = text.indexOf(":");
  // More than one colon: an IPv6 address without brackets, which has no port.
  return colon < 0 || text.includes(":", colon + 1) ? text : text.slice(0, colon);
}

/** The first address of an `X-Forwarded-For`: the client as the proxies tell it. */
export function firstForwarded(text: string): string {
  const [first = ""] = text.split(",", 1);
  return withoutPort(first.trim());
}

const CLIENT_OF = clientIp({ trustProxy: false });
const MOST_KNOWN = 10_000;
const COLON = 58;

/** The client of an address, as limits count it: all of an IPv6 network are one. Other text stays as it is. */
export class AddressClients {
  readonly #known = new Map<string, Bytes>();

  of(address: Bytes): Bytes {
    if (indexOf(COLON, address, address.start) < 0) return address;
    const text = textOf(address);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const found = CLIENT_OF({ method: "", path: "", remoteAddress: text, header: () => undefined });
    const client = bytesOf(found === "unknown" ? text : found);
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(text, client);
    return client;
  }
}
