/** The words of a secret: a key of 64 bits for strings of bytes, and one for all others. */
export const SECRET_WORDS = 4;

/**
 * Draws a secret. The first draw of a process loads the engine's cryptography, and the global scope of Workers allows
 * none: so stores draw at their first call.
 */
export function drawSecret(): Int32Array {
  return crypto.getRandomValues(new Int32Array(SECRET_WORDS));
}

const BYTES = 4;
const PAIRS_OF_BYTES = 2;
/** The rounds after the last word, for each half of the hash. */
const FINAL_ROUNDS = 3;

/**
 * A keyed 64-bit hash of strings: HalfSipHash-1-3, SipHash made of 32-bit words. Without the secret,
 * strings that collide, or that crowd one slot of a table, can only be found by trying. Among k keys two collide with a
 * probability of about k² / 2^65.
 *
 * A string whose UTF-16 units are all below 256 is hashed as bytes. Other strings are hashed as pairs of bytes, under
 * another part of the secret, so that every unit counts in full.
 *
 * Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012, and HalfSipHash in its reference code.
 */
export class KeyHash {
  /** The lower and the upper half of the last string's hash. */
  readonly words: Int32Array = new Int32Array(2);
  readonly #secret: Int32Array;

  constructor(secret: Int32Array) {
    this.#secret = secret;
  }

  hash(key: string): void {
    const anyUnit = this.#hash(key, BYTES);
    if (anyUnit > 0xff) this.#hash(key, PAIRS_OF_BYTES);
  }

  /** @returns all units, or-ed. */
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: its four variables cannot be passed to another function and back.
  #hash(key: string, unitsPerWord: 2 | 4): number {
    const secret = unitsPerWord === BYTES ? 0 : 2;
    const bits = 32 / unitsPerWord;
    let v0 = this.#secret[secret]!;
    let v1 = this.#secret[secret + 1]! ^ 0xee;
    let v2 = this.#secret[secret]! ^ 0x6c796765;
    let v3 = this.#secret[secret + 1]! ^ 0x74656462;
    const { length } = key;
    const lastWord = length & -unitsPerWord;
    let anyUnit = 0;
    for (let i = 0; i <= lastWord; i += unitsPerWord) {
      let word: number;
      if (i === lastWord) {
        word = length << 24;
        for (let rest = i; rest < length; rest += 1) {
          const unit = key.charCodeAt(rest);
          anyUnit |= unit;
          word |= unit << (bits * (rest - i));
        }
      } else if (unitsPerWord === BYTES) {
        const first = key.charCodeAt(i);
        const second = key.charCodeAt(i + 1);
        const third = key.charCodeAt(i + 2);
        const fourth = key.charCodeAt(i + 3);
        anyUnit |= first | second | third | fourth;
        word = first | (second << 8) | (third << 16) | (fourth << 24);
      } else {
        word = key.charCodeAt(i) | (key.charCodeAt(i + 1) << 16);
      }
      v3 ^= word;
      // One round, as below. A function could not change four variables.
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= word;
    }
    v2 ^= 0xee;
    for (let round = 0; round < 2 * FINAL_ROUNDS; round += 1) {
      if (round === FINAL_ROUNDS) {
        this.words[0] = v1 ^ v3;
        v1 ^= 0xdd;
      }
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
    }
    this.words[1] = v1 ^ v3;
    return anyUnit;
  }
}
