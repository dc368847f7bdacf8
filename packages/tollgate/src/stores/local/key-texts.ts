import { drawSecret, KeyHash } from "./key-hash.ts";

/** The most UTF-16 units of a key that is kept as it is. */
const LONGEST = 256;
/** A digest is a first unit of 0, then the 16 bytes of 128 bits as units below 256. */
const MARK = 0;
const DIGEST_UNITS = 17;
const WORDS = 4;

/**
 * The texts under which a table keeps keys: the key itself, or for a long key a digest of 128 bits, which bounds its
 * bytes. A digest is two keyed 64-bit hashes under separate secrets. Two keys with the same digest share a count: among
 * k long keys that has a probability of about k² / 2^129, which is 1 in 10^25 for ten million.
 *
 * A key that looks like a digest is kept as a digest itself. So no key that is kept as it is equals the digest of
 * another.
 */
export class KeyTexts {
  #hashes: readonly KeyHash[] | undefined;
  readonly #units = new Array<number>(DIGEST_UNITS).fill(MARK);
  #ofTexts: KeyHash | undefined;
  /** The text that was hashed last: a new key is hashed for the look, for the capacity and for its row. */
  #hashedText: string | undefined;
  #hash = 0;

  of(key: string): string {
    return isKeptAsItIs(key) ? key : this.#digest(key);
  }

  /** A keyed hash of a text. */
  hashOf(text: string): number {
    if (text !== this.#hashedText) {
      this.#ofTexts ??= new KeyHash(drawSecret());
      this.#ofTexts.hash(text);
      this.#hashedText = text;
      this.#hash = this.#ofTexts.words[0]!;
    }
    return this.#hash;
  }

  #digest(key: string): string {
    this.#hashes ??= [new KeyHash(drawSecret()), new KeyHash(drawSecret())];
    for (const [i, hash] of this.#hashes.entries()) {
      hash.hash(key);
      this.#write(1 + (DIGEST_UNITS >> 1) * i, hash.words);
    }
    return String.fromCharCode.apply(undefined, this.#units);
  }

  /** Writes the bytes of two words. */
  #write(at: number, words: Int32Array): void {
    for (let byte = 0; byte < 2 * WORDS; byte += 1) {
      this.#units[at + byte] = (words[byte >> 2]! >>> (8 * (byte % WORDS))) & 0xff;
    }
  }
}

/** A function of its own, small enough for engines to inline. */
export function isKeptAsItIs(key: string): boolean {
  return key.length <= LONGEST && (key.length !== DIGEST_UNITS || key.charCodeAt(0) !== MARK);
}
