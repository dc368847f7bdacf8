import type { SharedMemory } from "./shared-memory.ts";
import { GENERATION_MASK, NEVER_USED, nextGeneration, TAKEN, upperOf } from "./slot-state.ts";

/** Slots that are looked at together: a set is one cache line. */
export const SLOTS_PER_SET = 4;
/** A slot's words: its key's fingerprint and generation, then its state. */
export const SLOT_WORDS = 4;
/** Where a slot's state is. */
export const STATE = 2;
const SET_WORDS: number = SLOTS_PER_SET * SLOT_WORDS;
/** A key lies in one of so many sets. */
const SETS_PER_KEY = 8;
/** Of them two and those that follow them. */
const IN_A_ROW: number = SETS_PER_KEY / 2;
const CANDIDATES: number = SETS_PER_KEY * SLOTS_PER_SET;
/** The bits of a fingerprint's lower word that make room for the generation. */
export const PRINT_SHIFT = 10;

export const NO_OWNER = -1;
export const NOWHERE = -1;
/** Others were quicker: look again. */
export const LOST = -2;

/** Says whether the key that lives in a slot is as good as new, so that its slot is free to take. */
export type IsFree = (slot: number, low: number, high: number) => boolean;

/**
 * Some of a table's slots, and which keys live in them.
 *
 * A key is known by 54 bits of its hash; the other ten, where there are thousands of sets, are told by where it lies. It lies in the first of
 * its sets that had room when it came. Slots are first used in order, so a search that comes to one never used is over.
 *
 * Whoever puts a key into a slot takes the slot first, by a new generation, then writes the fingerprint with that same generation. A
 * fingerprint counts only while its generation is the state's: nothing that a slow thread writes, or left when it died, is ever taken for
 * something newer. A key whose slot is taken and written, but where nothing lives yet, is as new; anybody may go on from there.
 */
export class Slots {
  readonly words: Int32Array;
  readonly #memory: SharedMemory;
  /** Where the first set begins. */
  readonly #at: number;
  readonly #sets: number;
  readonly #setsPerHash: number;
  readonly #distancesPerHash: number;
  /** The number of the first slot's owner among the words. */
  readonly #ownersAt: number;
  /** What stays of a state's lower word when its key goes. */
  readonly #lasting: number;
  /** The sets of the key at hand, in the order in which they are tried. */
  readonly #keySets = new Int32Array(SETS_PER_KEY);
  /** The state of the slot that was chosen. */
  #stateLow = 0;
  #stateHigh = 0;

  constructor(memory: SharedMemory, at: number, sets: number, ownersAt: number, lasting: number) {
    this.words = memory.words;
    this.#memory = memory;
    this.#at = at;
    this.#sets = sets;
    this.#setsPerHash = sets / 2 ** 32;
    this.#distancesPerHash = (sets - 2 * IN_A_ROW + 1) / 2 ** 32;
    this.#ownersAt = ownersAt;
    this.#lasting = lasting;
  }

  get count(): number {
    return this.#sets * SLOTS_PER_SET;
  }

  /** In how many slots a key lives. */
  get living(): number {
    let living = 0;
    for (let index = 0; index < this.count; index += 1) {
      if (upperOf(this.words[this.nth(index) + STATE + 1]!) !== 0) living += 1;
    }
    return living;
  }

  /** The `index`-th slot. */
  nth(index: number): number {
    return this.#at + index * SLOT_WORDS;
  }

  /** Where the key of this hash lies, whether something lives there or not yet; `NOWHERE` if it is as new. */
  find(low: number, high: number): number {
    const { words } = this;
    const set = this.#firstSet(low);
    // One word tells nearly every other key apart.
    if (words[set + 1] === high && this.holds(set, low, high)) return set;
    if (words[set + SLOT_WORDS + 1] === high && this.holds(set + SLOT_WORDS, low, high)) return set + SLOT_WORDS;
    if (words[set + 2 * SLOT_WORDS + 1] === high && this.holds(set + 2 * SLOT_WORDS, low, high)) {
      return set + 2 * SLOT_WORDS;
    }
    if (words[set + 3 * SLOT_WORDS + 1] === high && this.holds(set + 3 * SLOT_WORDS, low, high)) {
      return set + 3 * SLOT_WORDS;
    }
    return words[set + 3 * SLOT_WORDS + STATE + 1] === NEVER_USED ? NOWHERE : this.#findFurther(low, high);
  }

  /** Whether a slot is this key's. */
  holds(slot: number, low: number, high: number): boolean {
    return this.isOf(slot, low, high, this.words[slot + STATE + 1]!);
  }

  /** Whether a slot is this key's as long as the upper word of its state is this one. */
  isOf(slot: number, low: number, high: number, stateHigh: number): boolean {
    const { words } = this;
    return words[slot] === ((low << PRINT_SHIFT) | (stateHigh & GENERATION_MASK)) && words[slot + 1] === high;
  }

  /**
   * Takes a slot for a key that lies nowhere: `LOST` if others were quicker, `NOWHERE` if every slot that it could have is in use. Nothing
   * lives there yet.
   */
  take(low: number, high: number, owner: number, isFree: IsFree): number {
    this.#noteSets(low, high);
    const slot = this.#choose(low, high, isFree);
    if (slot < 0) return slot;
    return this.#takeChosen(slot, low, high, owner) ? slot : LOST;
  }

  /** The slot that a key that lies nowhere would find; `LOST` and `NOWHERE` as above. */
  seek(low: number, high: number, isFree: IsFree): number {
    this.#noteSets(low, high);
    return this.#choose(low, high, isFree);
  }

  /**
   * Whether something may come to life in a slot that is this key's: it may if the key has no other. Of two that threads have taken for
   * one key at a time, the one that is tried first stays.
   */
  mayLive(slot: number, low: number, high: number): boolean {
    // What was seen of it has to be seen before what is seen of others from here on.
    if (!this.#holdsNow(slot, low, high)) return false;
    this.#noteSets(low, high);
    let isBefore = true;
    for (let i = 0; i < CANDIDATES; i += 1) {
      const other = this.#candidate(i);
      if (other === slot) isBefore = false;
      else if (this.#holdsNow(other, low, high) && !this.#yields(other, slot, isBefore)) return false;
      // Nobody goes beyond a slot that was never used.
      else if (this.words[other + STATE + 1] === NEVER_USED) break;
    }
    return true;
  }

  /** Ends whatever is in a slot: false if that is not there any more. */
  vacate(slot: number, low: number, high: number): boolean {
    return this.#memory.swap(slot + STATE, low, high, low & this.#lasting, nextGeneration(high));
  }

  /** The number of the owner whose key is in a slot; `NO_OWNER` while that is not known. */
  ownerOf(slot: number): number {
    const { words, atomics } = this.#memory;
    const owner = atomics.load(words, this.#ownerAt(slot));
    const isOfNow = ((owner ^ words[slot + STATE + 1]!) & GENERATION_MASK) === 0;
    return isOfNow ? owner >>> PRINT_SHIFT : NO_OWNER;
  }

  /** As `holds`, not as it was before this thread took its own slot: of two threads one has to see the other. */
  #holdsNow(slot: number, low: number, high: number): boolean {
    const { words, atomics } = this.#memory;
    const print = (low << PRINT_SHIFT) | (atomics.load(words, slot + STATE + 1) & GENERATION_MASK);
    return atomics.load(words, slot) === print && atomics.load(words, slot + 1) === high;
  }

  /** Whether another slot of the same key goes, so that this one may stay. */
  #yields(other: number, slot: number, isBefore: boolean): boolean {
    const { words } = this;
    const low = words[other + STATE]!;
    const high = words[other + STATE + 1]!;
    if (upperOf(high) === 0 && !isBefore) return this.vacate(other, low, high);
    if (upperOf(high) !== 0) this.#giveUp(slot);
    return false;
  }

  /** Lets a slot go in which nothing lives. */
  #giveUp(slot: number): void {
    const { words } = this;
    const low = words[slot + STATE]!;
    const high = words[slot + STATE + 1]!;
    if (upperOf(high) === 0) this.vacate(slot, low, high);
  }

  /** A slot in the first set that has one that is free, or else one that somebody else has taken; notes the state that it found there. */
  #choose(low: number, high: number, isFree: IsFree): number {
    for (let i = 0; i < CANDIDATES; i += SLOTS_PER_SET) {
      const slot = this.#chooseIn(this.#candidate(i), isFree);
      if (slot !== NOWHERE) return slot;
    }
    for (let i = 0; i < CANDIDATES; i += 1) {
      const slot = this.#candidate(i);
      this.#noteState(slot);
      // The last room may just have become its own.
      if (this.isOf(slot, low, high, this.#stateHigh)) return LOST;
      // Nothing lives in a slot that somebody has taken: its thread may have died over it. If not, that one begins again.
      if (upperOf(this.#stateHigh) === 0) return slot;
    }
    return NOWHERE;
  }

  /** One where nothing is, rather than one whose key is as good as new: that key may come again. */
  #chooseIn(set: number, isFree: IsFree): number {
    for (let slot = set; slot < set + SET_WORDS; slot += SLOT_WORDS) {
      this.#noteState(slot);
      if (upperOf(this.#stateHigh) === 0 && (this.#stateLow & TAKEN) === 0) return slot;
    }
    for (let slot = set; slot < set + SET_WORDS; slot += SLOT_WORDS) {
      this.#noteState(slot);
      if (upperOf(this.#stateHigh) !== 0 && isFree(slot, this.#stateLow, this.#stateHigh)) return slot;
    }
    return NOWHERE;
  }

  #noteState(slot: number): void {
    this.#stateHigh = this.upperWord(slot);
    this.#stateLow = this.words[slot + STATE]!;
  }

  /** The upper word of a slot's state, from which on whatever is read was there. */
  upperWord(slot: number): number {
    return this.#memory.atomics.load(this.words, slot + STATE + 1);
  }

  /** Takes the slot that was chosen, if its state is still what was found. */
  #takeChosen(slot: number, low: number, high: number, owner: number): boolean {
    const memory = this.#memory;
    const { words, atomics } = memory;
    // Read before the slot is taken: afterwards a slow thread would take what is newer for what it has to replace.
    const printLow = words[slot]!;
    const printHigh = words[slot + 1]!;
    const ownerAt = this.#ownerAt(slot);
    const ownerBefore = atomics.load(words, ownerAt);
    const generation = nextGeneration(this.#stateHigh);
    const state = (this.#stateLow & this.#lasting) | TAKEN;
    if (!memory.swap(slot + STATE, this.#stateLow, this.#stateHigh, state, generation)) return false;
    const ownerNow = (owner << PRINT_SHIFT) | generation;
    if (
      atomics.compareExchange(words, ownerAt, ownerBefore, ownerNow) === ownerBefore &&
      memory.swap(slot, printLow, printHigh, (low << PRINT_SHIFT) | generation, high)
    ) {
      return true;
    }
    this.vacate(slot, state, generation);
    return false;
  }

  #findFurther(low: number, high: number): number {
    this.#noteSets(low, high);
    for (let i = SLOTS_PER_SET; i < CANDIDATES; i += 1) {
      const slot = this.#candidate(i);
      if (this.holds(slot, low, high)) return slot;
      if (this.words[slot + STATE + 1] === NEVER_USED) return NOWHERE;
    }
    return NOWHERE;
  }

  /** The `i`-th slot that the key at hand may have. */
  #candidate(i: number): number {
    return this.#keySets[i >>> 2]! + (i & 3) * SLOT_WORDS;
  }

  /**
   * Different ones: two, and those that follow them. From any of them and the upper word of the hash the first follows, and so what a
   * fingerprint leaves out.
   */
  #noteSets(low: number, high: number): void {
    const first = this.#firstSet(low);
    const second = this.#setAfter(first, IN_A_ROW + Math.floor((high >>> 0) * this.#distancesPerHash));
    for (let distance = 0; distance < IN_A_ROW; distance += 1) {
      this.#keySets[2 * distance] = this.#setAfter(first, distance);
      this.#keySets[2 * distance + 1] = this.#setAfter(second, distance);
    }
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

  #ownerAt(slot: number): number {
    return this.#ownersAt + (slot - this.#at) / SLOT_WORDS;
  }
}
