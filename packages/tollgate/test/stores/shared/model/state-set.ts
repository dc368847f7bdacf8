export const MIXER = 0x9e3779b1;
export const OTHER_MIXER = 0x85ebca6b;

const FIRST_PLACES = 2 ** 16;

/** A set of states by two 32-bit hashes of each, which are mixed from the numbers that describe it. */
export class StateSet {
  /** Two words for each place. A place with two zeros is empty. */
  #words = new Int32Array(2 * FIRST_PLACES);
  #size = 0;
  #first = 0;
  #second = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds the state that has been mixed since the last one. False if the set has it already. */
  add(): boolean {
    // Never two zeros.
    const is = this.#insert(this.#words, this.#first, this.#second === 0 ? 1 : this.#second);
    this.#first = 0;
    this.#second = 0;
    if (is) this.#grow();
    return is;
  }

  /** Mixes a number into the state that comes next. */
  mix(number: number): void {
    this.#first = mixed(this.#first + 1, number, MIXER);
    this.#second = mixed(this.#second + 1, number, OTHER_MIXER);
  }

  #insert(words: Int32Array, first: number, second: number): boolean {
    const last = words.length / 2 - 1;
    for (let place = first & last; ; place = (place + 1) & last) {
      if (words[2 * place + 1] === 0) {
        words[2 * place] = first;
        words[2 * place + 1] = second;
        return true;
      }
      if (words[2 * place] === first && words[2 * place + 1] === second) return false;
    }
  }

  #grow(): void {
    this.#size += 1;
    const before = this.#words;
    if (4 * this.#size < before.length) return;
    this.#words = new Int32Array(2 * before.length);
    for (let at = 0; at < before.length; at += 2) {
      if (before[at + 1] !== 0) this.#insert(this.#words, before[at]!, before[at + 1]!);
    }
  }
}

/** A hash of a number at a word. Based on the finalizer of MurmurHash3. */
export function mixed(word: number, value: number, mixer: number): number {
  let hash = Math.imul(word ^ mixer, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15) ^ value, mixer);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
