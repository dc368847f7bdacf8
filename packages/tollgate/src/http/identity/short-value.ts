import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/** In UTF-16 units. */
const LONGEST_PLAIN = 256;
const HASHED = "sha256:";

/**
 * A value as a key: what is longer than 256 UTF-16 units becomes `sha256:` and the hash in hex, so that clients cannot fill
 * memory with long keys. What reads like a hash is hashed, too: no two values share a key.
 */
export function shortValue(value: string): string {
  if (value.length <= LONGEST_PLAIN && !value.startsWith(HASHED)) return value;
  return HASHED + bytesToHex(sha256(bytesOf(value)));
}

/** Two bytes a unit, the lower one first: UTF-8 would make one of all lone surrogates. */
function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(2 * text.length);
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    bytes[2 * i] = unit & 0xff;
    bytes[2 * i + 1] = unit >> 8;
  }
  return bytes;
}
