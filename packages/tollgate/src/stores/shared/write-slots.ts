import type { SharedMemory } from "./shared-memory.ts";

/** How many threads can be in the middle of a call at a time, or have died there. */
export const DESKS = 1024;
export const DESK_WORDS = 4;

/** That lie in one line of the cache. */
const DESKS_PER_LINE = 4;

const PHASE = 0;
const BLOCK = 1;
const NEXT_BLOCK = 2;
/** A desk's phase is odd while somebody is there, and never the same twice in a row. */
const OCCUPIED = 1;

export const NO_DESK = -1;

/**
 * Where threads write: each desk has a block of memory that is nobody else's. A thread that dies leaves its desk occupied, and what it
 * wrote is never seen.
 */
export class Desks {
  readonly #memory: SharedMemory;
  readonly #at: number;
  readonly #slots: number;
  /** The desk where this thread looks first: where it was last. */
  #last: number;
  /** How many desks were passed by that are occupied: by threads that work there, or that died. */
  passed = 0;

  constructor(memory: SharedMemory, at: number, slots: number, thread: number) {
    this.#memory = memory;
    this.#at = at;
    this.#slots = slots;
    // Apart from those of other threads, which are in other lines of the cache.
    this.#last = (thread * DESKS_PER_LINE) % DESKS;
  }

  /** A desk for this thread alone; `NO_DESK` where all are occupied. */
  occupy(): number {
    const { words, atomics } = this.#memory;
    for (let i = 0; i < DESKS; i += 1) {
      const index = (this.#last + i) % DESKS;
      const desk = this.#at + index * DESK_WORDS;
      const phase = words[desk + PHASE]!;
      if ((phase & OCCUPIED) !== 0) {
        this.passed += 1;
        continue;
      }
      if (atomics.compareExchange(words, desk + PHASE, phase, phase + 1) !== phase) continue;
      this.#last = index;
      return desk;
    }
    return NO_DESK;
  }

  leave(desk: number): void {
    const { words, atomics } = this.#memory;
    words[desk + NEXT_BLOCK] = 0;
    atomics.store(words, desk + PHASE, (words[desk + PHASE]! + 1) | 0);
  }

  /** The block of a desk: its first is the one after those of the slots, in its place. */
  blockAt(desk: number): number {
    const known = this.#memory.words[desk + BLOCK]!;
    return known === 0 ? this.#slots + (desk - this.#at) / DESK_WORDS : known - 1;
  }

  /** Notes which block will be the desk's in place of its own, if its thread gets to publish that. */
  noteNext(desk: number, block: number): void {
    this.#memory.words[desk + NEXT_BLOCK] = block + 1;
  }

  keep(desk: number, block: number): void {
    this.#memory.words[desk + BLOCK] = block + 1;
  }

  /** The block that was noted as the next; below 0 if none was. */
  nextAt(desk: number): number {
    return this.#memory.words[desk + NEXT_BLOCK]! - 1;
  }

  phaseOf(desk: number): number {
    return this.#memory.words[desk + PHASE]!;
  }

  occupied(): number[] {
    return this.#all().filter((desk) => (this.phaseOf(desk) & OCCUPIED) !== 0);
  }

  /** Marks the blocks of all desks where nobody is. */
  markIdle(marks: Uint8Array): void {
    const { words, atomics } = this.#memory;
    for (const desk of this.#all()) {
      const phase = atomics.load(words, desk + PHASE);
      const block = this.blockAt(desk);
      // Nobody came in between.
      if ((phase & OCCUPIED) === 0 && atomics.load(words, desk + PHASE) === phase) marks[block] = 1;
    }
  }

  /** Frees a desk in place of its thread, which died, unless somebody else just did. */
  free(desk: number, phase: number, block: number): void {
    const { words, atomics } = this.#memory;
    // Occupied anew first, so that nobody takes it before it is in order.
    const taken = (phase + 2) | 0;
    if (atomics.compareExchange(words, desk + PHASE, phase, taken) !== phase) return;
    this.keep(desk, block);
    this.leave(desk);
  }

  #all(): number[] {
    return Array.from({ length: DESKS }, (_, index) => this.#at + index * DESK_WORDS);
  }
}
