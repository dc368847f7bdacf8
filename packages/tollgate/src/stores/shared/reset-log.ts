import { MOST_RESETS, RESET_ROW, RESET_ROWS_AT, RESETS_AT } from "./memory-layout.ts";
import type { SharedMemory } from "./shared-memory.ts";
import { STATE } from "./shared-slots.ts";
import { GENERATION_MASK } from "./slot-state.ts";

const HASH = 1;
const SLOT = 2;
const TAG = 3;

/** In place of a slot: the reset counts as soon as it is logged. */
export const NO_SLOT = 0;

/**
 * The last resets of keys and of whole limiters, each as a keyed hash of 32 bits. A correction asks whether its key was
 * reset since the take.
 *
 * A thread logs a reset after it has read the state that it will replace, and before it does so. So a take that the
 * reset forgets has noted a count from before the reset. A thread that dies in between has reset nothing: the slot
 * still has its generation. Two keys of one hash make a correction do nothing.
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

  /**
   * Logs a reset that is about to free a slot whose state has this upper word, or one that has `NO_SLOT`.
   *
   * @returns the reset's number.
   */
  begin(hash: number, slot: number, stateHigh: number): number {
    const { words, atomics } = this.#memory;
    for (;;) {
      const number = (atomics.add(words, RESETS_AT, 1) + 1) | 0;
      const row = rowOf(number);
      const before = atomics.load(words, row);
      const hashBefore = words[row + HASH]!;
      const slotBefore = words[row + SLOT]!;
      const tagBefore = words[row + TAG]!;
      // If a later reset has the row by now, this one gets another number.
      if (
        !isLater(before, number) &&
        this.#memory.swap(row + SLOT, slotBefore, tagBefore, slot, tagOf(number, stateHigh)) &&
        this.#memory.swap(row, before, hashBefore, number, hash)
      )
        return number;
    }
  }

  /** Notes that a reset has freed its slot: the slot's generations come again. */
  end(number: number, slot: number, stateHigh: number): void {
    const tag = tagOf(number, stateHigh);
    // If it fails, a later reset has the row.
    this.#memory.swap(rowOf(number) + SLOT, slot, tag, NO_SLOT, tag);
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
    if (!hashes.includes(hash)) return !this.#memory.isStill(row, number, hash);
    const tag = atomics.load(words, row + TAG);
    const slot = words[row + SLOT]!;
    if (slot === NO_SLOT || tagOf(number, atomics.load(words, slot + STATE + 1)) !== tag) return true;
    return !this.#memory.isStill(row + SLOT, slot, tag);
  }
}

function rowOf(number: number): number {
  return RESET_ROWS_AT + (number & (MOST_RESETS - 1)) * RESET_ROW;
}

/** A slot's generation, with the bits of a reset's number that its row does not imply. */
function tagOf(number: number, stateHigh: number): number {
  return (number & ~GENERATION_MASK) | (stateHigh & GENERATION_MASK);
}

/** Whether one reset came after another. Numbers may overflow. */
function isLater(one: number, other: number): boolean {
  return one !== 0 && ((one - other) | 0) > 0;
}
