import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

/** The first bytes of a text's SHA-256, or all 32, in the 64 characters of base64url. */
export function digest(text: string | Uint8Array, bytes?: number): string {
  const hash = sha256(typeof text === "string" ? utf8ToBytes(text) : text).subarray(0, bytes);
  return btoa(String.fromCharCode(...hash))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
