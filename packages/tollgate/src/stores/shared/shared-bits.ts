import type { SharedMemory } from "./shared-memory.ts";

const BITS = 32;
const ALL_BITS = -1;

/** Bits that threads set and never clear. */
export class SharedBits {
  readonly #memory: SharedMemory;
  /** The index of the first word. */
  readonly #at: number;

  constructor(memory: SharedMemory, at: number) {
    this.#memory = memory;
    this.#at = at;
  }

  static words(bits: number): number {
    return Math.ceil(bits / BITS);
  }

  set(bit: number): void {
    const { words, atomics } = this.#memory;
    const word = this.#at + (bit >>> 5);
    const mask = 1 << bit;
    for (let before = words[word]!; (before & mask) === 0; before = words[word]!) {
      if (atomics.compareExchange(words, word, before, before | mask) === before) return;
    }
  }

  has(bit: number): boolean {
    const { words, atomics } = this.#memory;
    return (atomics.load(words, this.#at + (bit >>> 5)) & (1 << bit)) !== 0;
  }

  /** The first bit from this one on that is set; `end` if none below `end` is. */
  next(from: number, end: number): number {
    const { words, atomics } = this.#memory;
    for (let first = from; first < end; first += BITS - (first % BITS)) {
      const bits = atomics.load(words, this.#at + (first >>> 5)) & (ALL_BITS << first);
      if (bits !== 0) return Math.min(end, first - (first % BITS) + 31 - Math.clz32(bits & -bits));
    }
    return end;
  }
}
