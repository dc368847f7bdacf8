import { MOST_RESETS, RESET_ROW, RESET_ROWS_AT, RESETS_AT } from "./memory-layout.ts";
import type { SharedMemory } from "./shared-memory.ts";

const HASH = 1;

/**
 * The last resets of keys and of whole limiters, each as a keyed hash of 32 bits. A correction asks whether its key was
 * reset since the take.
 *
 * A thread logs a reset after it has read the state that it will replace, and before it does so. So a take that the
 * reset forgets has noted a count from before the reset. If the thread dies in between, takes of the key are never
 * corrected, so that it has less than it could have. Two keys of one hash make a correction do nothing, too.
 */
export class ResetLog {
  readonly #memory: SharedMemory;

  constructor(memory: SharedMemory) {
    this.#memory = memory;
  }

  /** How many resets have begun. */
  get count(): number {
    return this.#memory.atomics.load(this.#memory.words, RESETS_AT) >>> 0;
  }

  /** Logs a reset that is about to begin. */
  add(hash: number): void {
    const { words, atomics } = this.#memory;
    for (;;) {
      const number = (atomics.add(words, RESETS_AT, 1) + 1) | 0;
      const row = rowOf(number);
      const before = atomics.load(words, row);
      // If a later reset has the row by now, this one gets another number.
      if (!isLater(before, number) && this.#memory.swap(row, before, words[row + HASH]!, number, hash)) return;
    }
  }

  /** Whether one of these hashes was reset since so many resets had begun, or may have been. */
  hasReset(hashes: readonly number[], since: number): boolean {
    // For a take that knows no resets, `since` is infinite, and the difference is 0.
    const resets = (this.count - since) >>> 0;
    if (resets > MOST_RESETS) return true;
    for (let i = 1; i <= resets; i += 1) if (this.#concerns(hashes, (since + i) | 0)) return true;
    return false;
  }

  #concerns(hashes: readonly number[], number: number): boolean {
    const { words, atomics } = this.#memory;
    const row = rowOf(number);
    const found = atomics.load(words, row);
    // A reset that is not there yet has freed nothing.
    if (found !== number) return isLater(found, number);
    const hash = words[row + HASH]!;
    return hashes.includes(hash) || !this.#memory.isStill(row, number, hash);
  }
}

function rowOf(number: number): number {
  return RESET_ROWS_AT + (number & (MOST_RESETS - 1)) * RESET_ROW;
}

/** Whether one reset came after another. Numbers may overflow. */
function isLater(one: number, other: number): boolean {
  return one !== 0 && ((one - other) | 0) > 0;
}
