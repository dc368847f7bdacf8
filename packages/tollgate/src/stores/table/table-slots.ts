import { TollgateError } from "../../core/errors.ts";

/** Slots that are looked at together. With one cell a slot, a set is 64 bytes: one cache line. */
export const SLOTS_PER_SET = 4;
/**
 * Slots for each key that there has to be room for. A key may lie in either of two sets, and one that is in the way may move to
 * its other set. At this load most keys are found in their first set.
 */
const SLOTS_PER_KEY = 2.2;
/** The most cells: indexes of 32-bit words have to stay below 2^31. */
const MOST_CELLS = 2 ** 30;
/** Allocators put a header of 16 bytes before a large block; so many cells later a cache line begins. */
const CELLS_TO_ALIGN = 6;

const BYTES_PER_CELL = 8;

/** The lower word of a fingerprint is never this. */
export const FREE = 0;
/** The upper word of a slot that is free, but has been used. */
const USED_BEFORE = 1;

/**
 * The memory of a table: sets of four slots, allocated once. A set begins with the 64-bit fingerprints of its slots and
 * goes on with their cells. A slot is known by the index of its first cell.
 *
 * A key lies in the set that the lower word of its fingerprint names, its first, or in the one that the upper word names. It lies
 * in the second only if the first has no slot left that was never used; slots are first used in order. So a search that comes
 * to a slot never used is over.
 */
export class Slots {
  /** Cells of each slot. */
  readonly width: number;
  readonly cells: Float64Array;
  /** The same memory as words, two a cell. */
  readonly #words: Int32Array;
  /** Per slot a number of its owner's. */
  readonly #owners: Uint16Array;
  readonly #sets: number;
  readonly #cellsPerSet: number;
  readonly #setsPerHash: number;

  /**
   * None for 0 keys: then every search finds nothing.
   *
   * @throws TollgateError `ERR_LIMITS` when one array cannot have so much memory.
   */
  constructor(maxKeys: number, width: number) {
    this.width = width;
    this.#sets = setsFor(maxKeys);
    this.#cellsPerSet = SLOTS_PER_SET * (1 + width);
    this.#setsPerHash = this.#sets / 2 ** 32;
    this.cells = allocate(maxKeys, width, cellsFor(maxKeys, width));
    this.#words = new Int32Array(this.cells.buffer);
    this.#owners = new Uint16Array(this.#sets * SLOTS_PER_SET);
  }

  static bytes(maxKeys: number, width: number): number {
    return cellsFor(maxKeys, width) * BYTES_PER_CELL + setsFor(maxKeys) * SLOTS_PER_SET * Uint16Array.BYTES_PER_ELEMENT;
  }

  /** How many slots there are. */
  get count(): number {
    return this.#owners.length;
  }

  /** The slot with this fingerprint; -1 if there is none. */
  find(low: number, high: number): number {
    const words = this.#words;
    const set = this.firstSet(low);
    const word = 2 * set;
    if (words[word] === low && words[word + 1] === high) return set + SLOTS_PER_SET;
    if (words[word + 2] === low && words[word + 3] === high) return set + SLOTS_PER_SET + this.width;
    if (words[word + 4] === low && words[word + 5] === high) return set + SLOTS_PER_SET + 2 * this.width;
    if (words[word + 6] === low && words[word + 7] === high) return set + SLOTS_PER_SET + 3 * this.width;
    return words[word + 6] === FREE && words[word + 7] !== USED_BEFORE ? -1 : this.#findInSecond(low, high);
  }

  /** A set is known by the index of its first cell. */
  firstSet(low: number): number {
    return CELLS_TO_ALIGN + Math.floor((low >>> 0) * this.#setsPerHash) * this.#cellsPerSet;
  }

  secondSet(low: number, high: number): number {
    const set = this.firstSet(high);
    if (set !== this.firstSet(low)) return set;
    const next = set + this.#cellsPerSet;
    return next < this.cells.length ? next : CELLS_TO_ALIGN;
  }

  /** A slot of a set. */
  slot(set: number, way: number): number {
    return set + SLOTS_PER_SET + way * this.width;
  }

  /** The slot that comes as the `index`-th in memory. */
  nth(index: number): number {
    const set = CELLS_TO_ALIGN + Math.floor(index / SLOTS_PER_SET) * this.#cellsPerSet;
    return this.slot(set, index % SLOTS_PER_SET);
  }

  /** Whether a fingerprint is still where `wordOf` said. */
  holds(word: number, low: number, high: number): boolean {
    return this.#words[word] === low && this.#words[word + 1] === high;
  }

  isFree(slot: number): boolean {
    return this.#words[this.wordOf(slot)] === FREE;
  }

  ownerOf(slot: number): number {
    return this.#owners[this.#indexOf(slot)]!;
  }

  occupy(slot: number, low: number, high: number, owner: number): void {
    const word = this.wordOf(slot);
    this.#words[word] = low;
    this.#words[word + 1] = high;
    this.#owners[this.#indexOf(slot)] = owner;
  }

  free(slot: number): void {
    const word = this.wordOf(slot);
    this.#words[word] = FREE;
    this.#words[word + 1] = USED_BEFORE;
  }

  /** The other of the two sets in which the key in this slot may lie. */
  otherSet(slot: number): number {
    const word = this.wordOf(slot);
    const low = this.#words[word]!;
    const first = this.firstSet(low);
    return first === this.#setOf(slot) ? this.secondSet(low, this.#words[word + 1]!) : first;
  }

  /** Moves a key to a free slot. */
  move(from: number, to: number): void {
    const word = this.wordOf(from);
    this.occupy(to, this.#words[word]!, this.#words[word + 1]!, this.ownerOf(from));
    this.cells.copyWithin(to, from, from + this.width);
    this.free(from);
  }

  /** Reads from the first sets of many fingerprints, so that they come into the cache. Its result keeps it from being left out. */
  touch(fingerprints: Int32Array, count: number): number {
    let read = 0;
    for (let i = 0; i < count; i += 2) read ^= this.#words[2 * this.firstSet(fingerprints[i]!)]!;
    return read;
  }

  #findInSecond(low: number, high: number): number {
    const set = this.secondSet(low, high);
    for (let way = 0; way < SLOTS_PER_SET; way += 1) {
      if (this.holds(2 * (set + way), low, high)) return this.slot(set, way);
    }
    return -1;
  }

  #setOf(slot: number): number {
    return slot - ((slot - CELLS_TO_ALIGN) % this.#cellsPerSet);
  }

  /** The place of a slot's fingerprint among the words. */
  wordOf(slot: number): number {
    const set = this.#setOf(slot);
    return 2 * (set + (slot - set - SLOTS_PER_SET) / this.width);
  }

  #indexOf(slot: number): number {
    return Math.floor((slot - CELLS_TO_ALIGN) / this.#cellsPerSet) * SLOTS_PER_SET + this.#wayOf(slot);
  }

  #wayOf(slot: number): number {
    return (slot - this.#setOf(slot) - SLOTS_PER_SET) / this.width;
  }
}

function setsFor(maxKeys: number): number {
  return maxKeys === 0 ? 0 : Math.max(2, Math.ceil((maxKeys * SLOTS_PER_KEY) / SLOTS_PER_SET));
}

function cellsFor(maxKeys: number, width: number): number {
  // A search reads the fingerprints of one set at least.
  return CELLS_TO_ALIGN + Math.max(SLOTS_PER_SET, setsFor(maxKeys) * SLOTS_PER_SET * (1 + width));
}

function allocate(maxKeys: number, width: number, count: number): Float64Array {
  if (count <= MOST_CELLS) {
    try {
      return new Float64Array(count);
    } catch {
      // Not so much memory here.
    }
  }
  const most = Math.floor(MOST_CELLS / (maxKeys * SLOTS_PER_KEY)) - 1;
  throw new TollgateError(
    "ERR_LIMITS",
    `limits: expected at most ${most} cells a key in a table for ${maxKeys} keys, and ${count * 8} bytes of memory to be had, ` +
      `got limits of ${width} cells; use fewer keys, fewer limits or a coarser resolution, or memoryStore()`,
  );
}
