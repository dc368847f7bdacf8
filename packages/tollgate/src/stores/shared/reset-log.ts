import { RESET_ROW, RESETS_AT } from "./memory-layout.ts";
import type { SharedMemory } from "./shared-memory.ts";

const HASH = 1;
/** Resets of one set. */
const WAYS = 4;
/** How often a set is read: other threads may change it meanwhile. */
const MOST_TRIES = 64;

/**
 * The last resets, each as a keyed hash of 32 bits of a limit and a key, or of a limit all of whose keys were
 * forgotten. A set of four has the latest whose hashes end alike. A correction asks whether a limit of its key was
 * reset since the take. Takes before the oldest reset of a full set are not corrected.
 *
 * A thread logs a reset after it has read the state that it will replace, and before it does so. So a take that the
 * reset forgets has noted a count from before the reset. If the thread dies in between, takes of the key are never
 * corrected, so that it has less than it could have. Two keys of one hash make a correction do nothing, too.
 */
export class ResetLog {
  readonly #memory: SharedMemory;
  readonly #at: number;
  /** How many resets it has, a power of two. */
  readonly #size: number;

  /** A log that begins at a word. All logs of a memory have one count. */
  constructor(memory: SharedMemory, at: number, size: number) {
    this.#memory = memory;
    this.#at = at;
    this.#size = size;
  }

  /** How many resets have begun. */
  get count(): number {
    return this.#memory.atomics.load(this.#memory.words, RESETS_AT) >>> 0;
  }

  /** Logs resets that are about to begin. */
  add(hashes: readonly number[]): void {
    for (const hash of hashes) this.#add(hash);
  }

  #add(hash: number): void {
    const { words, atomics } = this.#memory;
    const number = (atomics.add(words, RESETS_AT, 1) + 1) | 0;
    for (;;) {
      const row = this.#rowFor(hash);
      const before = atomics.load(words, row);
      // A later reset of the same, or a set of later ones, stands for this one.
      if (isLater(before, number)) return;
      if (this.#memory.swap(row, before, words[row + HASH]!, number, hash)) return;
    }
  }

  /** The row that has this hash, or else the oldest one of its set. */
  #rowFor(hash: number): number {
    const { words, atomics } = this.#memory;
    const first = this.#setOf(hash);
    let oldest = first;
    for (let way = 0; way < WAYS; way += 1) {
      const row = first + RESET_ROW * way;
      const number = atomics.load(words, row);
      if (number !== 0 && words[row + HASH] === hash) return row;
      if (isLater(atomics.load(words, oldest), number) || number === 0) oldest = row;
    }
    return oldest;
  }

  /** Whether what has this hash was reset since so many resets had begun, or may have been. */
  hasReset(hash: number, since: number): boolean {
    const { words, atomics } = this.#memory;
    const first = this.#setOf(hash);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      let later = 0;
      let sum = 0;
      for (let way = 0; way < WAYS; way += 1) {
        const row = first + RESET_ROW * way;
        const number = atomics.load(words, row);
        sum = (sum + number) | 0;
        // For a take that knows no resets, `since` is infinite, and none is later.
        if (!isLater(number, since)) continue;
        if (words[row + HASH] === hash) return true;
        later += 1;
      }
      // A reset that is not there yet has freed nothing.
      if (later === WAYS) return true;
      // Numbers only grow: the set was as it was read.
      for (let way = 0; way < WAYS; way += 1) sum = (sum - atomics.load(words, first + RESET_ROW * way)) | 0;
      if (sum === 0) return false;
    }
    return true;
  }

  #setOf(hash: number): number {
    return this.#at + RESET_ROW * (hash & (this.#size - WAYS));
  }
}

/** Whether one reset came after another. Numbers may overflow. */
function isLater(one: number, other: number): boolean {
  return one !== 0 && ((one - other) | 0) > 0;
}
