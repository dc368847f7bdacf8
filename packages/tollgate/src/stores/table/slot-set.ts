const BITS = 32;
const ALL_BITS = -1;

/**
 * The slots of a table that have keys: a bit for each. A bit of every further level says whether a word of the level
 * below has any. So a walk visits the keys alone, however many slots there are. Slots are known by their index.
 */
export class SlotSet {
  readonly #levels: Int32Array[] = [];

  constructor(slots: number) {
    for (const words of lengths(slots)) this.#levels.push(new Int32Array(words));
  }

  static bytes(slots: number): number {
    return Int32Array.BYTES_PER_ELEMENT * lengths(slots).reduce((sum, words) => sum + words, 0);
  }

  add(slot: number): void {
    let at = slot;
    for (const level of this.#levels) {
      const word = at >>> 5;
      const before = level[word]!;
      level[word] = before | (1 << at);
      if (before !== 0) return;
      at = word;
    }
  }

  delete(slot: number): void {
    let at = slot;
    for (const level of this.#levels) {
      const word = at >>> 5;
      const after = level[word]! & ~(1 << at);
      level[word] = after;
      if (after !== 0) return;
      at = word;
    }
  }

  /** The first slot of the set from this one on, or -1. */
  next(from: number): number {
    let at = from;
    for (let i = 0; i < this.#levels.length; i += 1) {
      const level = this.#levels[i]!;
      const word = at >>> 5;
      const bits = word < level.length ? level[word]! & (ALL_BITS << at) : 0;
      if (bits !== 0) return this.#firstBelow(i, BITS * word + lowestBit(bits));
      at = word + 1;
    }
    return -1;
  }

  /** The first slot of the set below the `at`-th bit of a level. */
  #firstBelow(level: number, at: number): number {
    let below = at;
    for (let i = level - 1; i >= 0; i -= 1) below = BITS * below + lowestBit(this.#levels[i]![below]!);
    return below;
  }
}

/** How many words each level needs; the last one needs one. */
function lengths(slots: number): number[] {
  const words = Math.ceil(slots / BITS);
  return words > 1 ? [words, ...lengths(words)] : [words];
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}
