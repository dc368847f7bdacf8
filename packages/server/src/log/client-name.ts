import { createHash } from "node:crypto";
import { isIP } from "node:net";

const API_KEY = "0:";
const ADDRESS = "1:";
const HASH_CHARACTERS = 12;

/** What `clientIp` makes of a client without an address. */
const UNKNOWN = "unknown";
/** IPv6 clients are called by their network, such as `2001:db8::/64`. */
const PREFIX = /\/\d{1,3}$/;

/**
 * What logs and metrics call a client: its address, or the beginning of the SHA-256 of its API key. An operator finds a
 * known key by `printf %s KEY | sha256sum`; the key itself is a secret. Only what reads as an address is told as it is:
 * the key of another limiter may begin with `1:`, too.
 *
 * @param key of `clientKey`, which writes before the text which of its two parts found it.
 */
export function clientName(key: string): string {
  if (key.startsWith(ADDRESS)) {
    const address = key.slice(ADDRESS.length);
    if (address === UNKNOWN || isAddress(address)) return address;
  }
  return secretName(key.startsWith(API_KEY) ? key.slice(API_KEY.length) : key);
}

export function isAddress(text: string): boolean {
  return isIP(text.replace(PREFIX, "")) !== 0;
}

/** A value that limits name, as readers see it: anything but an address may be a secret of a client. */
export function shownValue(value: string): string {
  return value === "" || value === "*" || isAddress(value) ? value : secretName(value);
}

/** What logs call a text that may be a secret. */
export function secretName(secret: string): string {
  return `key-${createHash("sha256").update(secret).digest("hex").slice(0, HASH_CHARACTERS)}`;
}
