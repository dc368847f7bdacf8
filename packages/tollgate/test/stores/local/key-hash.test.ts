import { describe, expect, it } from "vitest";
import { KeyHash } from "../../../src/stores/local/key-hash.ts";
import { halfSipHash } from "./half-sip-hash.ts";
import { randomBelow } from "./random-words.ts";

type Half = readonly [number, number];

const BYTES_KEY: Half = [0x83020100, 0x0706f5e4];
const PAIRS_KEY: Half = [0x9b0a0908, 0x0f0ed0c0];
const ROUNDS = { perWord: 1, atTheEnd: 3 };
const LENGTHS = [...Array.from({ length: 41 }, (_, length) => length), 63, 64, 65, 127, 255, 256, 257, 1_000, 4_099];

const hash = new KeyHash(Int32Array.of(...BYTES_KEY, ...PAIRS_KEY));

function hashOf(key: string, by: KeyHash = hash): [number, number] {
  by.hash(key);
  return [by.words[0]! >>> 0, by.words[1]! >>> 0];
}

/** A string of `length` units below a bound. */
function text(length: number, below: (bound: number) => number, bound: number): string {
  return String.fromCharCode(...Array.from({ length }, () => below(bound)));
}

function unitsOf(key: string): number[] {
  return Array.from({ length: key.length }, (_, at) => key.charCodeAt(at));
}

describe("the reference of these tests", () => {
  it.each([
    [0, 0xc83cb8b9591f8d21n],
    [1, 0x157338f8122455ben],
    [7, 0x84c67bb0282720ffn],
    [8, 0x8c85e4bc20e8feedn],
    [15, 0x02c9814ecb0b7d21n],
  ])("agrees with the published vectors of HalfSipHash-2-4: %d bytes", (length, expected) => {
    const bytes = Array.from({ length }, (_, at) => at);
    const [low, high] = halfSipHash(bytes, [0x03020100, 0x07060504], { perWord: 2, atTheEnd: 4 });
    expect((BigInt(high) << 32n) | BigInt(low)).toBe(expected);
  });
});

describe("the hash of keys", () => {
  it("is HalfSipHash-1-3 of the units where all are bytes", () => {
    const below = randomBelow(1);
    for (const length of LENGTHS) {
      for (let round = 0; round < 20; round += 1) {
        const key = text(length, below, 256);
        expect([key, ...hashOf(key)]).toEqual([key, ...halfSipHash(unitsOf(key), BYTES_KEY, ROUNDS)]);
      }
    }
  });

  it("is HalfSipHash-1-3 of pairs of bytes, under the other half of the secret, if a unit exceeds a byte", () => {
    const below = randomBelow(2);
    for (const length of LENGTHS.filter((one) => one > 0)) {
      for (let round = 0; round < 20; round += 1) {
        const at = below(length);
        const start = text(at, below, round % 2 === 0 ? 256 : 0x10000);
        const key = `${start}${String.fromCharCode(256 + below(0xff00))}${text(length - at - 1, below, 256)}`;
        const bytes = unitsOf(key).flatMap((unit) => [unit & 0xff, unit >>> 8]);
        expect([key, ...hashOf(key)]).toEqual([key, ...halfSipHash(bytes, PAIRS_KEY, ROUNDS, length)]);
      }
    }
  });

  it.each([
    ["differ only above U+00FF", "\u0101", "\u0201"],
    ["are a byte and what has it as its lower byte", "\u0001", "\u0101"],
    ["are two bytes and the unit that they make", "ab", "\u6261"],
    ["are four bytes and the units that they make", "abcd", "\u6261\u6463"],
    ["end with NUL or not", "a", "a\0"],
    ["are empty and NUL", "", "\0"],
    ["are emoji that differ in the second half of a pair", "\u{1f600}", "\u{1f601}"],
    ["are 256 units apart in length", "a".repeat(3), `aaa${"\0".repeat(256)}`],
    ["are a lone surrogate and what replaces it in UTF-8", "\ud800", "\ufffd"],
  ])("differs for strings that %s", (_what, one, other) => {
    expect(hashOf(one)).not.toEqual(hashOf(other));
  });
});
