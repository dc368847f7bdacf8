import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { optionError } from "../../core/check-options.ts";
import type { HttpFacts } from "../http-facts.ts";

/** The characters in names of headers and cookies (RFC 9110, RFC 6265). */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;

/** @throws TollgateError `ERR_OPTION`, naming `option`, unless the name is a token. */
export function checkToken(option: string, name: unknown, expected: string): string {
  if (typeof name === "string" && TOKEN.test(name)) return name;
  throw optionError(option, expected, name);
}

/** Removes spaces and tabs around a text: the only white space that may surround values in headers. */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpaceOrTab(text.charCodeAt(start))) start += 1;
  while (end > start && isSpaceOrTab(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isSpaceOrTab(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Whether clients could choose which line the application reads. */
export function hasSeveralLines(facts: Pick<HttpFacts, "lines">, name: string): boolean {
  const lines = facts.lines?.(name) ?? [];
  return lines === "dropped" || lines.length > 1;
}

/** Malformed encoding stays as it is. */
export function percentDecoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** In UTF-16 units. */
export const LONGEST_PLAIN = 256;
const HASHED = "sha256:";

/**
 * Makes a key of a value. More than 256 UTF-16 units become `sha256:` and the hash in hex, so that clients cannot fill
 * memory with long keys. A value that begins like a hash is hashed too, so that no two values share a key.
 */
export function shortValue(value: string): string {
  if (value.length <= LONGEST_PLAIN && !value.startsWith(HASHED)) return value;
  return HASHED + bytesToHex(sha256(bytesOf(value)));
}

/** Two bytes a unit, the lower one first: UTF-8 would encode all lone surrogates alike. */
function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(2 * text.length);
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    bytes[2 * i] = unit & 0xff;
    bytes[2 * i + 1] = unit >> 8;
  }
  return bytes;
}
