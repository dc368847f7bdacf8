import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { ownCopy } from "../../core/text-memory.ts";

/** 72 bits: a billion plans under one name collide with a probability of 1 in 10,000. */
const DIGEST_BYTES = 9;
/** In UTF-16 units. Longer keys are replaced by their digests. */
const LONGEST_KEY = 256;
/** The size of the cache of recent names. */
const MOST_NAMES = 4_096;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * The names of a plan's keys on the server: `<prefix>:<limiter>:<digest of the limits>:{<key>}`. The hash tag in
 * braces decides the cluster slot, so the keys of one user are in one slot for all limits.
 */
export class SpaceKeys {
  /** The common prefix of the plan's keys; no other plan has it. */
  readonly head: string;
  #names = new Map<string, string>();

  constructor(head: string) {
    this.head = head;
  }

  /** The name of a key, unique per key. */
  of(key: string): string {
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    // Not cached: callers could fill the memory with 4,096 of the longest keys.
    if (key.length > LONGEST_KEY) return this.head + tagOf(key);
    // A map that is cleared refers to its new table, so that old names would outlast young collections.
    if (this.#names.size >= MOST_NAMES) this.#names = new Map();
    // A sliced string would keep its parent alive.
    const own = ownCopy(key);
    const name = this.head + tagOf(own);
    this.#names.set(own, name);
    return name;
  }
}

/** Tells a plan's keys from those of all others: prefixes and names may contain colons. */
export function digestOf(limiter: string, planId: string): string {
  return base64Url(sha256(utf8ToBytes(`${limiter}\n${planId}`)).subarray(0, DIGEST_BYTES));
}

/**
 * The key in braces, or its digest and a `#`, for keys that do not fit there. An empty tag is no tag, lone surrogates
 * are equal in UTF-8, and with long keys callers could fill the server's memory.
 */
function tagOf(key: string): string {
  const fits = key !== "" && key.length <= LONGEST_KEY && !key.startsWith("}") && !LONE_SURROGATE.test(key);
  return fits ? `{${key}}` : `{${base64Url(sha256(utf16Of(key)))}}#`;
}

/** The key in UTF-16, which can encode lone surrogates. */
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
