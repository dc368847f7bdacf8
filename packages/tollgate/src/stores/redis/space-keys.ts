import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { ownCopy } from "../../core/text-memory.ts";

/** Of a digest: 72 bits, so that a billion plans under one name meet once in ten thousand tries. */
const DIGEST_BYTES = 9;
/** UTF-16 units; longer keys are told by their digests. */
const LONGEST_KEY = 256;
/** Recent names that are kept, so that a key in use has its name at once. */
const MOST_NAMES = 4_096;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * The names of a plan's keys on the server: `<prefix>:<limiter>:<digest of the limits>:{<key>}`. What stands in braces decides
 * on the slot in a cluster, so the keys of one user are together whatever limits they belong to.
 */
export class SpaceKeys {
  /** What all of them begin with, and no other plan's. */
  readonly head: string;
  readonly #names = new Map<string, string>();

  constructor(head: string) {
    this.head = head;
  }

  /** The name of a key: another one for every other string. */
  of(key: string): string {
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    // Making its name takes a while each time, but 4,096 of the longest would be memory for the caller to fill.
    if (key.length > LONGEST_KEY) return this.head + tagOf(key);
    if (this.#names.size >= MOST_NAMES) this.#names.clear();
    // Neither name nor key may keep what the key was cut out of.
    const own = ownCopy(key);
    const name = this.head + tagOf(own);
    this.#names.set(own, name);
    return name;
  }
}

/** What tells a plan's keys from those of all others: prefixes and names may contain colons. */
export function digestOf(limiter: string, planId: string): string {
  return base64Url(sha256(utf8ToBytes(`${limiter}\n${planId}`)).subarray(0, DIGEST_BYTES));
}

/**
 * Keys in braces. Some cannot stand there: with nothing before the first closing brace there is no tag, lone surrogates are all
 * the same in UTF-8, and long keys would make the server's memory the caller's to fill. Of these it is the digest, and another
 * end.
 */
function tagOf(key: string): string {
  const fits = key !== "" && key.length <= LONGEST_KEY && !key.startsWith("}") && !LONE_SURROGATE.test(key);
  return fits ? `{${key}}` : `{${base64Url(sha256(utf16Of(key)))}}#`;
}

/** UTF-16, which has lone surrogates, too. */
function utf16Of(key: string): Uint8Array {
  const bytes = new Uint8Array(key.length * 2);
  for (let i = 0; i < key.length; i += 1) {
    const unit = key.charCodeAt(i);
    bytes[2 * i] = unit >> 8;
    bytes[2 * i + 1] = unit & 0xff;
  }
  return bytes;
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
