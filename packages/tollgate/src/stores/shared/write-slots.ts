import type { SharedMemory } from "./shared-memory.ts";

/** How many threads can be in the middle of a publication at a time, or have died in one. */
export const WRITE_SLOTS = 1024;

const WRITE_SLOTS_PER_CACHE_LINE = 16;

/** A write slot is a word: the number of its block, plus one. */
const OCCUPIED = -1;
/** At first the write slots have the blocks after those of the key slots, in the same order. */
const FIRST_BLOCK = 0;

export const NO_BLOCK = -1;

/**
 * Where threads write: each write slot has a block of memory that no key and no other write slot uses. A thread that
 * dies while it publishes leaves its write slot occupied for good, and no thread ever reads what it wrote there. The
 * block goes to no other thread: a thread that a debugger has stopped looks as dead.
 */
export class WriteSlots {
  readonly #memory: SharedMemory;
  readonly #at: number;
  readonly #keySlots: number;
  readonly count: number;
  /** The write slot that this thread has, or had last. It tries this one first. */
  #own: number;

  constructor(memory: SharedMemory, at: number, keySlots: number, count: number, thread: number) {
    this.#memory = memory;
    this.#at = at;
    this.#keySlots = keySlots;
    this.count = count;
    // Threads start in cache lines of their own.
    this.#own = (thread * WRITE_SLOTS_PER_CACHE_LINE) % count;
  }

  /** Occupies a write slot, and returns its block for this thread alone; `NO_BLOCK` if all are occupied. */
  acquire(): number {
    const { words, atomics } = this.#memory;
    for (let i = 0; i < this.count; i += 1) {
      const index = (this.#own + i) % this.count;
      const found = words[this.#at + index]!;
      if (found === OCCUPIED || atomics.compareExchange(words, this.#at + index, found, OCCUPIED) !== found) continue;
      this.#own = index;
      return found === FIRST_BLOCK ? this.#keySlots + index : found - 1;
    }
    return NO_BLOCK;
  }

  /** Frees this thread's write slot, with a block that no key uses: its own, or the one that a key had before. */
  release(block: number): void {
    const { words, atomics } = this.#memory;
    atomics.store(words, this.#at + this.#own, block + 1);
  }
}
