import type { SharedMemory } from "./shared-memory.ts";
import { CANDIDATES, PRINT_SHIFT, type SharedSlots, STATE } from "./shared-slots.ts";
import { frozen, GENERATION_MASK, NEVER_USED, previousGeneration, upperBits } from "./slot-state.ts";

/** What a slot has of a key. A claim has no cells. */
export const CLAIM = 1;
/** Cells that no call changes any more: they are on their way to another slot. */
export const FROZEN = 2;
/** Cells that count. */
export const LIVE = 3;
const NOTHING = 0;

/** A slot that has something of a key. */
export interface KeySlot {
  readonly kind: number;
  readonly slot: number;
  /** The slot's state. Unless it is confirmed, its two words may be of different moments. */
  readonly low: number;
  readonly high: number;
}

/** Looks for a key in every slot that it may have, in one part of a table. */
export class SlotSearch {
  readonly #slots: SharedSlots;
  readonly #memory: SharedMemory;

  constructor(slots: SharedSlots, memory: SharedMemory) {
    this.#slots = slots;
    this.#memory = memory;
  }

  /** Finds every slot that has something of a key. Ordered after this thread's own claim. */
  find(low: number, high: number): KeySlot[] {
    const slots = this.#slots;
    const found: KeySlot[] = [];
    slots.setCandidates(low, high);
    for (let i = 0; i < CANDIDATES; i += 1) {
      const slot = slots.candidate(i);
      const stateHigh = slots.upperWord(slot);
      if (stateHigh === NEVER_USED) break;
      const kind = this.#kindOf(slot, stateHigh, low, high);
      if (kind !== NOTHING) found.push({ kind, slot, high: stateHigh, low: slots.words[slot + STATE]! });
    }
    return found;
  }

  /** Takes cells out of use, but keeps them in their slot: false if the state is not current any more. */
  freeze(slot: number, low: number, high: number): boolean {
    return this.#memory.swap(slot + STATE, low, high, low, frozen(high));
  }

  #kindOf(slot: number, stateHigh: number, low: number, high: number): number {
    const { words, atomics } = this.#memory;
    const hasCells = upperBits(stateHigh) !== 0;
    const print = atomics.load(words, slot) ^ (low << PRINT_SHIFT);
    if (atomics.load(words, slot + 1) !== high) return NOTHING;
    if (print === (stateHigh & GENERATION_MASK)) return hasCells ? LIVE : CLAIM;
    return hasCells && print === previousGeneration(stateHigh) ? FROZEN : NOTHING;
  }
}
