import { SLOTS_PER_SET } from "../local/table-size.ts";
import { SharedBits } from "./shared-bits.ts";
import type { SharedMemory } from "./shared-memory.ts";
import { GENERATION_MASK, NEVER_USED, nextGeneration, previousGeneration, upperBits } from "./slot-state.ts";

/** A slot's words: its key's fingerprint with the generation, then its state. A set of four slots is one cache line. */
export const SLOT_WORDS = 4;
/** The offset of a slot's state. */
export const STATE = 2;
export const SET_WORDS: number = SLOTS_PER_SET * SLOT_WORDS;
/** A scan of all slots skips blocks of sets that were never used. */
const SETS_PER_BLOCK = 4;
const BLOCK_WORDS = SETS_PER_BLOCK * SET_WORDS;
/** How many sets a key may lie in. */
const SETS_PER_KEY = 8;
/** They are two runs of adjacent sets. */
const SETS_PER_RUN: number = SETS_PER_KEY / 2;
/** How many slots a key may lie in. */
export const CANDIDATES: number = SETS_PER_KEY * SLOTS_PER_SET;
/** A fingerprint's lower word loses this many upper bits to the generation. */
export const PRINT_SHIFT = 10;

export const NO_PLAN = -1;
/** No slot with cells has this upper word. */
export const NOTHING = 0;
export const NOWHERE = -1;

/**
 * A part of a table's slots, and the keys in them.
 *
 * A key's fingerprint is 54 bits of its hash. In a table of thousands of sets, the place of the slot implies the
 * other ten bits. A key lies in the first of its sets that had a slot for it when it came. Slots are first used in
 * order, so a search ends at a slot that no thread has ever used.
 *
 * A thread that inserts a key first claims a slot by a new generation, then writes the fingerprint with that
 * generation. A fingerprint is valid only while its generation is the state's. So what a slow thread writes, or a dead
 * thread has left, never passes for something newer. A slot that is claimed and has a fingerprint, but no cells, stands
 * for a new key: every thread may publish there.
 */
export class SharedSlots {
  readonly words: Int32Array;
  readonly #memory: SharedMemory;
  /** The first word of the first set. */
  readonly #at: number;
  readonly #sets: number;
  readonly #setsPerHash: number;
  readonly #distancesPerHash: number;
  /** The index of the first slot's plan number among the words. */
  readonly #planNumbersAt: number;
  /** A bit for each block: whether a thread has ever claimed a slot of it. */
  readonly #usedBlocks: SharedBits;
  /** The bits of a state's lower word that stay when the key goes. */
  readonly #permanentBits: number;
  /** The sets of the latest key of `setCandidates`, in the order of the search. */
  readonly #candidateSets = new Int32Array(SETS_PER_KEY);

  constructor(
    memory: SharedMemory,
    at: number,
    sets: number,
    planNumbersAt: number,
    usedBlocksAt: number,
    permanentBits: number,
  ) {
    this.words = memory.words;
    this.#memory = memory;
    this.#at = at;
    this.#sets = sets;
    this.#setsPerHash = sets / 2 ** 32;
    this.#distancesPerHash = (sets - 2 * SETS_PER_RUN + 1) / 2 ** 32;
    this.#planNumbersAt = planNumbersAt;
    this.#usedBlocks = new SharedBits(memory, usedBlocksAt);
    this.#permanentBits = permanentBits;
  }

  /** How many words the bits of the used blocks take. */
  static usedBlocksWords(sets: number): number {
    return SharedBits.words(blocksOf(sets));
  }

  /** How many slots have a key. */
  get keyCount(): number {
    return this.countIn(0, this.blocks);
  }

  /** How many blocks there are, for `countIn`. */
  get blocks(): number {
    return blocksOf(this.#sets);
  }

  /** How many slots of some blocks have a key. */
  countIn(from: number, until: number): number {
    const { words } = this;
    const end = this.#at + this.#sets * SET_WORDS;
    const used = this.#usedBlocks;
    let count = 0;
    for (let block = used.next(from, until); block < until; block = used.next(block + 1, until)) {
      const first = this.#at + block * BLOCK_WORDS + STATE + 1;
      const last = Math.min(first + BLOCK_WORDS, end);
      for (let word = first; word < last; word += SLOT_WORDS) if (upperBits(words[word]!) !== 0) count += 1;
    }
    return count;
  }

  /** The first slot that has a key; `NOWHERE` if there is no key. */
  firstKey(): number {
    return this.nextKey(this.#at - SLOT_WORDS);
  }

  /** The first slot after this one that has a key; `NOWHERE` after the last. */
  nextKey(slot: number): number {
    const { words } = this;
    const end = this.#at + this.#sets * SET_WORDS;
    let next = slot + SLOT_WORDS;
    for (;;) {
      next = this.#skipUnused(next);
      if (next >= end) return NOWHERE;
      const high = words[next + STATE + 1]!;
      if (upperBits(high) !== 0) return next;
      // A set whose first slot was never used is empty.
      const isEmptySet = high === NEVER_USED && (next - this.#at) % SET_WORDS === 0;
      next += isEmptySet ? SET_WORDS : SLOT_WORDS;
    }
  }

  eachKey(visit: (slot: number) => void): void {
    for (let slot = this.firstKey(); slot !== NOWHERE; slot = this.nextKey(slot)) visit(slot);
  }

  /** This slot; or the first one of the next used block if this one begins a block that was never used. */
  #skipUnused(slot: number): number {
    const offset = slot - this.#at;
    if (offset % BLOCK_WORDS !== 0) return slot;
    return this.#at + BLOCK_WORDS * this.#usedBlocks.next(offset / BLOCK_WORDS, blocksOf(this.#sets));
  }

  /** Records that a slot is about to be used for the first time. Scans that begin later visit it. */
  markUsed(slot: number): void {
    this.#usedBlocks.set(Math.floor((slot - this.#at) / BLOCK_WORDS));
  }

  /** The slot of the key with this hash, published or claimed; `NOWHERE` if the key is new. */
  find(low: number, high: number): number {
    const { words } = this;
    const set = this.#firstSet(low);
    for (let slot = set; slot < set + SET_WORDS; slot += SLOT_WORDS) {
      // Comparing one word rules out nearly every other key.
      if (words[slot + 1] === high && this.holds(slot, low, high)) return slot;
    }
    return words[set + 3 * SLOT_WORDS + STATE + 1] === NEVER_USED ? NOWHERE : this.#findFurther(low, high);
  }

  /** Whether a slot is this key's. */
  holds(slot: number, low: number, high: number): boolean {
    return this.isOf(slot, low, high, this.words[slot + STATE + 1]!);
  }

  /** Whether a slot is this key's while the upper word of its state is `stateHigh`. */
  isOf(slot: number, low: number, high: number, stateHigh: number): boolean {
    const { words } = this;
    return words[slot] === ((low << PRINT_SHIFT) | (stateHigh & GENERATION_MASK)) && words[slot + 1] === high;
  }

  /** The upper word of a slot's state if the slot has cells of this key, else `NOTHING`. It may not be current. */
  liveState(slot: number, low: number, high: number): number {
    const stateHigh = this.words[slot + STATE + 1]!;
    // The fingerprint after the state: one that has the state's generation is current until the state changes.
    return this.isOf(slot, low, high, stateHigh) && upperBits(stateHigh) !== 0 ? stateHigh : NOTHING;
  }

  /** The upper word of a slot's state. Later reads see what was there at this moment, or something newer. */
  upperWord(slot: number): number {
    return this.#memory.atomics.load(this.words, slot + STATE + 1);
  }

  /** Removes the key or the claim from a slot with this state: false if the state is not current any more. */
  vacate(slot: number, low: number, high: number): boolean {
    return this.#memory.swap(slot + STATE, low, high, low & this.#permanentBits, nextGeneration(high));
  }

  /**
   * The number of the plan whose key is in a slot, frozen or not; `NO_PLAN` while no plan number of this generation is
   * there.
   */
  planOf(slot: number): number {
    const { words, atomics } = this.#memory;
    const plan = atomics.load(words, this.planNumberAt(slot));
    const high = words[slot + STATE + 1]!;
    const isCurrent = ((plan ^ high) & GENERATION_MASK) === 0;
    return isCurrent || this.isFrozen(slot, high) ? plan >>> PRINT_SHIFT : NO_PLAN;
  }

  /** Whether a slot whose state has this upper word has frozen cells. */
  isFrozen(slot: number, high: number): boolean {
    const plan = this.words[this.planNumberAt(slot)]!;
    return upperBits(high) !== 0 && (plan & GENERATION_MASK) === previousGeneration(high);
  }

  /** The index of a slot's plan number among the words. */
  planNumberAt(slot: number): number {
    return this.#planNumbersAt + (slot - this.#at) / SLOT_WORDS;
  }

  /**
   * Sets the key whose slots `candidate` returns: two different sets, and those that follow them. Any of these sets,
   * with the upper word of the hash, implies the first set, and so the bits that the fingerprint leaves out.
   */
  setCandidates(low: number, high: number): void {
    const first = this.#firstSet(low);
    const second = this.#setAfter(first, SETS_PER_RUN + Math.floor((high >>> 0) * this.#distancesPerHash));
    for (let distance = 0; distance < SETS_PER_RUN; distance += 1) {
      this.#candidateSets[2 * distance] = this.#setAfter(first, distance);
      this.#candidateSets[2 * distance + 1] = this.#setAfter(second, distance);
    }
  }

  /** The `i`-th slot in which the key of `setCandidates` may lie. */
  candidate(i: number): number {
    return this.#candidateSets[i >>> 2]! + (i & 3) * SLOT_WORDS;
  }

  #findFurther(low: number, high: number): number {
    this.setCandidates(low, high);
    for (let i = SLOTS_PER_SET; i < CANDIDATES; i += 1) {
      const slot = this.candidate(i);
      if (this.holds(slot, low, high)) return slot;
      if (this.words[slot + STATE + 1] === NEVER_USED) return NOWHERE;
    }
    return NOWHERE;
  }

  /** A set is known by its first slot. */
  #firstSet(hash: number): number {
    return this.#at + Math.floor((hash >>> 0) * this.#setsPerHash) * SET_WORDS;
  }

  #setAfter(set: number, distance: number): number {
    const all = this.#sets * SET_WORDS;
    const next = set + distance * SET_WORDS;
    return next < this.#at + all ? next : next - all;
  }
}

function blocksOf(sets: number): number {
  return Math.ceil(sets / SETS_PER_BLOCK);
}
