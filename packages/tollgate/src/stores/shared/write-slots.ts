import type { SharedMemory } from "./shared-memory.ts";

/** How many threads can be in the middle of a publication at a time, or have died in one. */
export const WRITE_SLOTS = 1024;
export const WRITE_SLOT_WORDS = 4;

const WRITE_SLOTS_PER_CACHE_LINE = 4;

const PHASE = 0;
const BLOCK = 1;
const NEXT_BLOCK = 2;
/** A write slot's phase is odd while a thread occupies it, and never the same twice in a row. */
const OCCUPIED = 1;

export const NO_WRITE_SLOT = -1;

/**
 * Where threads write: each write slot has a block of memory that no key and no other write slot uses. A thread that
 * dies leaves its write slot occupied, and no thread ever reads what it wrote there.
 */
export class WriteSlots {
  readonly #memory: SharedMemory;
  readonly #at: number;
  readonly #keySlots: number;
  readonly count: number;
  /** The write slot that this thread tries first: the one that it had last. */
  #last: number;
  /** How many occupied write slots this thread has skipped. Their threads are working, or dead. */
  skipped = 0;

  constructor(memory: SharedMemory, at: number, keySlots: number, count: number, thread: number) {
    this.#memory = memory;
    this.#at = at;
    this.#keySlots = keySlots;
    this.count = count;
    // Threads start in cache lines of their own.
    this.#last = (thread * WRITE_SLOTS_PER_CACHE_LINE) % count;
  }

  /** Occupies a write slot for this thread alone; `NO_WRITE_SLOT` if all are occupied. */
  acquire(): number {
    const { words, atomics } = this.#memory;
    for (let i = 0; i < this.count; i += 1) {
      const index = (this.#last + i) % this.count;
      const writeSlot = this.#at + index * WRITE_SLOT_WORDS;
      const phase = words[writeSlot + PHASE]!;
      if ((phase & OCCUPIED) !== 0) {
        this.skipped += 1;
        continue;
      }
      if (atomics.compareExchange(words, writeSlot + PHASE, phase, phase + 1) !== phase) continue;
      this.#last = index;
      return writeSlot;
    }
    return NO_WRITE_SLOT;
  }

  release(writeSlot: number): void {
    const { words, atomics } = this.#memory;
    words[writeSlot + NEXT_BLOCK] = 0;
    atomics.store(words, writeSlot + PHASE, (words[writeSlot + PHASE]! + 1) | 0);
  }

  /** The block of a write slot. At first these are the blocks after those of the key slots, in the same order. */
  blockOf(writeSlot: number): number {
    const known = this.#memory.words[writeSlot + BLOCK]!;
    return known === 0 ? this.#keySlots + (writeSlot - this.#at) / WRITE_SLOT_WORDS : known - 1;
  }

  setBlock(writeSlot: number, block: number): void {
    this.#memory.words[writeSlot + BLOCK] = block + 1;
  }

  /** Records the block that the write slot gets in exchange for its own if the publication succeeds. */
  setNextBlock(writeSlot: number, block: number): void {
    this.#memory.words[writeSlot + NEXT_BLOCK] = block + 1;
  }

  /** The block that `setNextBlock` recorded; below 0 if there is no record. */
  nextBlockOf(writeSlot: number): number {
    return this.#memory.words[writeSlot + NEXT_BLOCK]! - 1;
  }

  phaseOf(writeSlot: number): number {
    return this.#memory.words[writeSlot + PHASE]!;
  }

  occupied(): number[] {
    return this.#all().filter((writeSlot) => (this.phaseOf(writeSlot) & OCCUPIED) !== 0);
  }

  /** Marks the blocks of all free write slots. */
  markFree(marks: Uint8Array): void {
    const { words, atomics } = this.#memory;
    for (const writeSlot of this.#all()) {
      const phase = atomics.load(words, writeSlot + PHASE);
      const block = this.blockOf(writeSlot);
      // The same phase before and after: the block was read while the write slot was free.
      if ((phase & OCCUPIED) === 0 && atomics.load(words, writeSlot + PHASE) === phase) marks[block] = 1;
    }
  }

  /** Frees the write slot of a dead thread, unless another thread has just done so. */
  recover(writeSlot: number, phase: number, block: number): void {
    const { words, atomics } = this.#memory;
    // A new odd phase keeps other threads out until the block is set.
    const recovering = (phase + 2) | 0;
    if (atomics.compareExchange(words, writeSlot + PHASE, phase, recovering) !== phase) return;
    this.setBlock(writeSlot, block);
    this.release(writeSlot);
  }

  #all(): number[] {
    return Array.from({ length: this.count }, (_, index) => this.#at + index * WRITE_SLOT_WORDS);
  }
}
