import { TollgateError } from "../../core/errors.ts";
import { SLOTS_PER_KEY, SLOTS_PER_SET, setsFor } from "../local/table-size.ts";
import { SlotSet } from "./slot-set.ts";
import { SlotsByPlan } from "./slots-by-plan.ts";

/** Indexes of 32-bit words have to stay below 2^31. */
const MOST_CELLS = 2 ** 30;
/** Allocators put a header of 16 bytes before a large block. A cache line begins this many cells later. */
const CELLS_TO_ALIGN = 6;

const BYTES_PER_CELL = 8;
/** A key's two sets differ. */
const FEWEST_SETS = 2;

/** The lower word of a free slot's fingerprint, and never that of a key's. */
export const FREE = 0;
/** The upper word of a free slot that has been used. */
const USED_BEFORE = 1;

/**
 * The memory of a table: sets of four slots, allocated once. A set begins with the 64-bit fingerprints of its slots;
 * their cells follow. The index of its first cell identifies a slot.
 *
 * The lower word of a key's fingerprint selects its first set, the upper word its second. A key lies in the second only
 * if every slot of the first has been used. Slots are first used in order, so a search ends at a slot that was never
 * used.
 */
export class TableSlots {
  /** Cells of each slot. */
  readonly width: number;
  readonly cells: Float64Array;
  /** The same memory as words, two for each cell. */
  readonly #words: Int32Array;
  /** For each slot, the number of the plan whose key is there. */
  readonly #plans: Uint16Array;
  /** The indexes of the slots that have a key. */
  readonly #taken: SlotSet;
  /** Set while no key has come since it was made. */
  #byPlan: SlotsByPlan | undefined;
  readonly #sets: number;
  readonly #cellsPerSet: number;
  readonly #setsPerHash: number;

  /**
   * With 0 for `maxKeys` there are no slots, and every search fails.
   *
   * @throws TollgateError `ERR_LIMITS` if one array cannot have so much memory.
   */
  constructor(maxKeys: number, width: number) {
    this.width = width;
    this.#sets = setCount(maxKeys);
    this.#cellsPerSet = SLOTS_PER_SET * (1 + width);
    this.#setsPerHash = this.#sets / 2 ** 32;
    this.cells = allocate(maxKeys, width, cellsFor(maxKeys, width));
    this.#words = new Int32Array(this.cells.buffer);
    this.#plans = new Uint16Array(this.#sets * SLOTS_PER_SET);
    this.#taken = new SlotSet(this.#plans.length);
  }

  static bytes(maxKeys: number, width: number): number {
    const slots = setCount(maxKeys) * SLOTS_PER_SET;
    const planBytes = slots * Uint16Array.BYTES_PER_ELEMENT;
    return cellsFor(maxKeys, width) * BYTES_PER_CELL + planBytes + SlotSet.bytes(slots);
  }

  /** The number of slots. */
  get count(): number {
    return this.#plans.length;
  }

  /** The slot with this fingerprint, or -1. */
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

  /** The index of its first cell identifies a set. */
  firstSet(low: number): number {
    return CELLS_TO_ALIGN + Math.floor((low >>> 0) * this.#setsPerHash) * this.#cellsPerSet;
  }

  secondSet(low: number, high: number): number {
    const set = this.firstSet(high);
    if (set !== this.firstSet(low)) return set;
    const next = set + this.#cellsPerSet;
    return next < this.cells.length ? next : CELLS_TO_ALIGN;
  }

  /** The slot at position `way` of a set. */
  slot(set: number, way: number): number {
    return set + SLOTS_PER_SET + way * this.width;
  }

  /** The `index`-th slot in memory. */
  nth(index: number): number {
    const set = CELLS_TO_ALIGN + Math.floor(index / SLOTS_PER_SET) * this.#cellsPerSet;
    return this.slot(set, index % SLOTS_PER_SET);
  }

  /** The index of the first slot from this one on that has a key; -1 after the last. */
  nextTaken(from: number): number {
    return this.#taken.next(from);
  }

  /**
   * Visits the slots of one plan, which may drop keys meanwhile. `has` says how many keys it has: among many more, they
   * are found by an array that is kept until the next key comes.
   */
  forEachOf(plan: number, has: "many" | "few", visit: (slot: number) => void): void {
    if (has === "few") {
      this.#byPlan ??= new SlotsByPlan(this.#plans, this.#taken);
      for (const index of this.#byPlan.of(plan)) if (!this.isFree(this.nth(index))) visit(this.nth(index));
      return;
    }
    for (let index = this.#taken.next(0); index >= 0; index = this.#taken.next(index + 1)) {
      if (this.#plans[index] === plan) visit(this.nth(index));
    }
  }

  /** The lower word of the fingerprint in a slot. */
  lowOf(slot: number): number {
    return this.#words[this.wordOf(slot)]!;
  }

  /** The upper word of the fingerprint in a slot. */
  highOf(slot: number): number {
    return this.#words[this.wordOf(slot) + 1]!;
  }

  /** Whether a fingerprint is at this word, as returned by `wordOf`. */
  holds(word: number, low: number, high: number): boolean {
    return this.#words[word] === low && this.#words[word + 1] === high;
  }

  isFree(slot: number): boolean {
    return this.#words[this.wordOf(slot)] === FREE;
  }

  /** Works like `isFree`, for the slot at position `way` of a set. */
  isFreeAt(set: number, way: number): boolean {
    return this.#words[2 * (set + way)] === FREE;
  }

  /** The number of the plan whose key is in a slot. */
  planOf(slot: number): number {
    return this.#plans[this.#indexOf(slot)]!;
  }

  /** The index of the first slot of the set that a cell belongs to, for `planAt`. */
  indexOfSet(cell: number): number {
    return Math.floor((cell - CELLS_TO_ALIGN) / this.#cellsPerSet) * SLOTS_PER_SET;
  }

  /** Works like `planOf`, for the `index`-th slot in memory. */
  planAt(index: number): number {
    return this.#plans[index]!;
  }

  occupy(slot: number, low: number, high: number, plan: number): void {
    const word = this.wordOf(slot);
    this.#words[word] = low;
    this.#words[word + 1] = high;
    const index = this.#indexOf(slot);
    this.#plans[index] = plan;
    this.#taken.add(index);
    this.#byPlan = undefined;
  }

  free(slot: number): void {
    const word = this.wordOf(slot);
    this.#words[word] = FREE;
    this.#words[word + 1] = USED_BEFORE;
    this.#taken.delete(this.#indexOf(slot));
  }

  /** The other set of the key at position `way` of a set. */
  otherSet(set: number, way: number): number {
    const word = 2 * (set + way);
    const low = this.#words[word]!;
    const first = this.firstSet(low);
    return first === set ? this.secondSet(low, this.#words[word + 1]!) : first;
  }

  /** Moves a key to a free slot. */
  move(from: number, to: number): void {
    const word = this.wordOf(from);
    this.occupy(to, this.#words[word]!, this.#words[word + 1]!, this.planOf(from));
    this.cells.copyWithin(to, from, from + this.width);
    this.free(from);
  }

  /**
   * Reads from the first sets of many fingerprints, to load them into the cache. The result keeps engines from removing
   * the reads.
   */
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

  /** The index of a slot's fingerprint among the words. */
  wordOf(slot: number): number {
    const set = this.#setOf(slot);
    return 2 * (set + (slot - set - SLOTS_PER_SET) / this.width);
  }

  #indexOf(slot: number): number {
    return this.indexOfSet(slot) + this.#wayOf(slot);
  }

  #wayOf(slot: number): number {
    return (slot - this.#setOf(slot) - SLOTS_PER_SET) / this.width;
  }
}

function setCount(maxKeys: number): number {
  return maxKeys === 0 ? 0 : Math.max(FEWEST_SETS, setsFor(maxKeys));
}

function cellsFor(maxKeys: number, width: number): number {
  // A search always reads the fingerprints of one set.
  return CELLS_TO_ALIGN + Math.max(SLOTS_PER_SET, setCount(maxKeys) * SLOTS_PER_SET * (1 + width));
}

function allocate(maxKeys: number, width: number, count: number): Float64Array {
  if (count <= MOST_CELLS) {
    try {
      return new Float64Array(count);
    } catch {
      // The error below says how much memory was needed.
    }
  }
  const most = Math.floor(MOST_CELLS / (maxKeys * SLOTS_PER_KEY)) - 1;
  throw new TollgateError(
    "ERR_LIMITS",
    `limits: expected at most ${most} cells a key in a table for ${maxKeys} keys, ` +
      `and ${count * 8} bytes of free memory, got limits of ${width} cells; ` +
      "use fewer keys, fewer limits or a coarser resolution, or memoryStore()",
  );
}
