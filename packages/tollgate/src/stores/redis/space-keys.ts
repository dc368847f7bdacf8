import { TollgateError } from "../../core/errors.ts";
import type { Scope } from "../../core/plan.ts";
import { digest } from "./digest.ts";

/** 72 bits: a billion limiters collide with a probability of 1 in 10,000. */
const DIGEST_BYTES = 9;
/** In UTF-16 units. Longer keys are replaced by their digests. */
const LONGEST_KEY = 256;

/**
 * What the names of a limiter's keys begin with, and those of no other limiter. A name is
 * `<prefix>:<limiter>:<digest>:{<key>}`. The digest is that of the limiter's name, because prefixes and names may have
 * colons. The hash tag in braces decides the cluster slot, so the keys of one user are in one slot for all limiters.
 */
export function headOf(prefix: string, limiter: string): string {
  return `${prefix}:${limiter}:${digest(limiter, DIGEST_BYTES)}:`;
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

/** @throws TollgateError `ERR_NAME` for a limiter without a name. */
export function limiterName(scope: Scope): string {
  if (typeof scope === "string") return scope;
  throw new TollgateError("ERR_NAME", "name: expected a name, by which all nodes know the limiter, got undefined");
}
