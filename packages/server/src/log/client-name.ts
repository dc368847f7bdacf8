import { createHash } from "node:crypto";

const API_KEY = "0:";
const ADDRESS = "1:";
const HASH_CHARACTERS = 12;

/**
 * What logs and metrics call a client: its address, or the beginning of the SHA-256 of its API key. An operator finds a
 * known key by `printf %s KEY | sha256sum`; the key itself is a secret.
 *
 * @param key of `clientKey`, which writes before the text which of its two parts found it.
 */
export function clientName(key: string): string {
  if (key.startsWith(ADDRESS)) return key.slice(ADDRESS.length);
  const secret = key.startsWith(API_KEY) ? key.slice(API_KEY.length) : key;
  return `key-${createHash("sha256").update(secret).digest("hex").slice(0, HASH_CHARACTERS)}`;
}
