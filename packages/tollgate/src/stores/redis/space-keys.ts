import { digest } from "./digest.ts";

/** 72 bits: a billion limiters collide with a probability of 1 in 10,000. */
const DIGEST_BYTES = 9;
/** In UTF-16 units. Longer keys are replaced by their digests. */
const LONGEST_KEY = 256;
/** The names of a key. */
export interface KeyNames {
  /** Its name on the server. */
  readonly row: string;
  /** Names the counts of the plan in the row: all that may carry over have one name. */
  readonly counts: string;
}

/**
 * The names of keys on the server: `<prefix>:<limiter>:<digest>:{<key>}`, with a digest of the limiter's name. The
 * value has the counts of all plans, and the block. The hash tag in braces decides the cluster slot, so the keys of one
 * user are in one slot for all limiters.
 */
export class SpaceKeys {
  /** The common prefix of the limiter's keys; no other limiter has it. */
  readonly head: string;
  readonly #layout: string;

  /** `layout` is that of separate counts, otherwise empty. */
  constructor(head: string, layout: string) {
    this.head = head;
    this.#layout = layout;
  }

  /** The names of a key, unique per key. */
  of(key: string): KeyNames {
    const row = this.head + tagOf(key);
    return { row, counts: this.#layout + row };
  }
}

/**
 * What the names of a limiter's keys begin with. The digest tells them from those of other
 * limiters: prefixes and names may contain colons.
 */
export function familyOf(prefix: string, limiter: string): string {
  return `${prefix}:${limiter}:${digest(limiter, DIGEST_BYTES)}`;
}

/**
 * The key in braces, or its digest and a `#`, for keys that do not fit there. An empty tag is no tag, lone surrogates
 * are equal in UTF-8, and with long keys callers could fill the server's memory.
 */
export function tagOf(key: string): string {
  const fits = key !== "" && key.length <= LONGEST_KEY && !key.startsWith("}") && key.isWellFormed();
  return fits ? `{${key}}` : `{${digest(utf16Of(key))}}#`;
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
