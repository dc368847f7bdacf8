import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KeyHash } from "../../../src/stores/local/key-hash.ts";
import { KINDS_OF_KEYS } from "./kinds-of-keys.ts";

/** Tests how the hashes of `keys` keys spread, for each of these kinds. */
export function testSpread(kinds: readonly string[], keys: number): void {
  const chosen = KINDS_OF_KEYS.filter(([kind]) => kinds.includes(kind));
  describe.each(chosen)(`the hashes of ${keys} keys: %s`, (_kind, keyOf) => {
    testSpreadOf(keyOf, keys);
  });
}

function testSpreadOf(keyOf: (i: number) => string, keys: number): void {
  const sets = 550;
  /** A table finds a key's sets so. */
  const setOf = (word: number) => Math.floor((word >>> 0) * (sets / 2 ** 32));
  const inSet = new Uint32Array(sets);
  const inSecondSet = new Uint32Array(sets);
  const inBucket = new Uint32Array(256);
  /** The lower words at even indexes, the upper words at odd ones, sorted by both. */
  let sorted: Uint32Array;

  beforeAll(() => {
    const hash = new KeyHash(Int32Array.of(0x2545f491, 0x4f6cdd1d, 0x1234567, 0x789abcd));
    const hashes = new BigUint64Array(keys);
    const words = new Uint32Array(hashes.buffer);
    for (let i = 0; i < keys; i += 1) {
      hash.hash(keyOf(i));
      const low = hash.words[0]!;
      const high = hash.words[1]!;
      words[2 * i] = low;
      words[2 * i + 1] = high;
      inBucket[low & 255]! += 1;
      inSet[setOf(low)]! += 1;
      inSecondSet[setOf(high)]! += 1;
    }
    hashes.sort();
    sorted = words;
  });

  afterAll(() => {
    sorted = new Uint32Array(0);
  });

  it("are different for different keys", () => {
    expect(repeats(sorted, 2, (at) => sorted[at] === sorted[at - 2] && sorted[at + 1] === sorted[at - 1])).toBe(0);
  });

  it("share one of their words as often as random hashes do", () => {
    const upper = repeats(sorted, 2, (at) => sorted[at + 1] === sorted[at - 1]);
    const lowerWords = Uint32Array.from({ length: keys }, (_, i) => sorted[2 * i]!).sort();
    const lower = repeats(lowerWords, 1, (at) => lowerWords[at] === lowerWords[at - 1]);
    expect(deviations(upper, keys)).toBeLessThan(5);
    expect(deviations(lower, keys)).toBeLessThan(5);
  });

  it("spread evenly over the sets of a table and over the overflow buckets", () => {
    for (const counts of [inSet, inSecondSet, inBucket]) expect(deviationsOfSpread(counts, keys)).toBeLessThan(5);
  });
}

/** How many of the words `step` apart repeat the one before. */
function repeats(words: Uint32Array, step: number, repeatsAt: (at: number) => boolean): number {
  let found = 0;
  for (let at = step; at < words.length; at += step) if (repeatsAt(at)) found += 1;
  return found;
}

/** How far a number of repeats among 32-bit words is from that of random words, in standard deviations. */
function deviations(found: number, words: number): number {
  const expected = words - 2 ** 32 * -Math.expm1(words * Math.log1p(-(2 ** -32)));
  return Math.abs(found - expected) / Math.sqrt(expected);
}

/** How far the χ² of even counts is from its mean, in standard deviations. */
function deviationsOfSpread(counts: Uint32Array, keys: number): number {
  const expected = keys / counts.length;
  const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return Math.abs(chiSquare - (counts.length - 1)) / Math.sqrt(2 * (counts.length - 1));
}
