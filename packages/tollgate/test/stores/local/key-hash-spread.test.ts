import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KeyHash } from "../../../src/stores/local/key-hash.ts";
import { TableSlots } from "../../../src/stores/table/table-slots.ts";
import { KINDS_OF_KEYS } from "./kinds-of-keys.ts";

const KEYS = 10_000_000;
/** Of so many words of 32 bits, how many equal one that came before, if they are random. */
const EXPECTED_REPEATS = KEYS - 2 ** 32 * -Math.expm1(KEYS * Math.log1p(-(2 ** -32)));

describe.each(KINDS_OF_KEYS)("the hashes of ten million keys: %s", (_kind, keyOf) => {
  const slots = new TableSlots(1_000, 1);
  const sets = slots.count / 4;
  const cellsPerSet = 8;
  const inSet = new Uint32Array(sets);
  const inSecondSet = new Uint32Array(sets);
  const inBucket = new Uint32Array(256);
  /** Lower words at even places, upper words at odd ones: sorted by both. */
  let sorted: Uint32Array;

  beforeAll(() => {
    const hash = new KeyHash(Int32Array.of(0x2545f491, 0x4f6cdd1d, 0x1234567, 0x789abcd));
    const hashes = new BigUint64Array(KEYS);
    const words = new Uint32Array(hashes.buffer);
    const first = slots.firstSet(0);
    for (let i = 0; i < KEYS; i += 1) {
      hash.hash(keyOf(i));
      const low = hash.words[0]!;
      const high = hash.words[1]!;
      words[2 * i] = low;
      words[2 * i + 1] = high;
      inBucket[low & 255]! += 1;
      inSet[(slots.firstSet(low) - first) / cellsPerSet]! += 1;
      inSecondSet[(slots.secondSet(low, high) - first) / cellsPerSet]! += 1;
    }
    hashes.sort();
    sorted = words;
  }, 120_000);

  afterAll(() => {
    sorted = new Uint32Array(0);
  });

  it("differ", () => {
    expect(repeats(sorted, 2, (at) => sorted[at] === sorted[at - 2] && sorted[at + 1] === sorted[at - 1])).toBe(0);
  });

  it("share a half as often as random words do", () => {
    const upper = repeats(sorted, 2, (at) => sorted[at + 1] === sorted[at - 1]);
    const lowerWords = Uint32Array.from({ length: KEYS }, (_, i) => sorted[2 * i]!).sort();
    const lower = repeats(lowerWords, 1, (at) => lowerWords[at] === lowerWords[at - 1]);
    expect(deviations(upper)).toBeLessThan(5);
    expect(deviations(lower)).toBeLessThan(5);
  });

  it("spread evenly over the sets of a table and over the overflow buckets", () => {
    for (const counts of [inSet, inSecondSet, inBucket]) expect(deviationsOfSpread(counts)).toBeLessThan(5);
  });
});

/** How many places there are, `step` apart, that repeat what is before them. */
function repeats(words: Uint32Array, step: number, repeatsAt: (at: number) => boolean): number {
  let found = 0;
  for (let at = step; at < words.length; at += step) if (repeatsAt(at)) found += 1;
  return found;
}

/** How far a number of repeats is from the expected one, in standard deviations. */
function deviations(found: number): number {
  return Math.abs(found - EXPECTED_REPEATS) / Math.sqrt(EXPECTED_REPEATS);
}

/** How far the χ² of counts that should be even is from its mean, in standard deviations. */
function deviationsOfSpread(counts: Uint32Array): number {
  const expected = KEYS / counts.length;
  const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return Math.abs(chiSquare - (counts.length - 1)) / Math.sqrt(2 * (counts.length - 1));
}
