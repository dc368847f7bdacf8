import { SLOTS_PER_SET } from "../local/table-size.ts";
import type { SharedMemory } from "./shared-memory.ts";
import { CANDIDATES, NOWHERE, PRINT_SHIFT, SET_WORDS, type SharedSlots, SLOT_WORDS, STATE } from "./shared-slots.ts";
import { CLAIMED, GENERATION_MASK, NEVER_USED, nextGeneration, upperBits } from "./slot-state.ts";

/** Another thread was quicker: search again. */
export const LOST_RACE = -2;

/** How often a call tries to get a slot for a new key. */
export const MOST_TRIES = 64;

/** Whether the key in a slot with this state is idle, so that another key may have the slot. */
export type IsIdle = (slot: number, low: number, high: number) => boolean;

/** How a thread gets a slot for a new key, and how the key ends up in one slot only. */
export class SlotClaims {
  readonly #slots: SharedSlots;
  readonly #memory: SharedMemory;
  /** The bits of a state's lower word that stay when the key goes. */
  readonly #permanentBits: number;
  /** The state of the slot that was chosen. */
  #stateLow = 0;
  #stateHigh = 0;

  constructor(slots: SharedSlots, memory: SharedMemory, permanentBits: number) {
    this.#slots = slots;
    this.#memory = memory;
    this.#permanentBits = permanentBits;
  }

  /**
   * Claims a slot for a key that has none. The slot has no cells yet.
   *
   * @returns the slot; `LOST_RACE` if another thread was quicker; `NOWHERE` if every slot that the key could have is in
   * use.
   */
  claim(low: number, high: number, plan: number, isIdle: IsIdle): number {
    const slot = this.findClaimable(low, high, isIdle);
    if (slot < 0) return slot;
    return this.#claimChosen(slot, low, high, plan) ? slot : LOST_RACE;
  }

  /** Whether the slot of the last claim was that of an idle key. */
  get tookIdleKey(): boolean {
    return upperBits(this.#stateHigh) !== 0;
  }

  /**
   * Finds the slot that `claim` would claim: in the first set that has a free one, or else a slot that another thread
   * has claimed. It keeps the slot's state for `#claimChosen`.
   */
  findClaimable(low: number, high: number, isIdle: IsIdle): number {
    const slots = this.#slots;
    slots.setCandidates(low, high);
    for (let i = 0; i < CANDIDATES; i += SLOTS_PER_SET) {
      const slot = this.#findClaimableIn(slots.candidate(i), isIdle);
      if (slot !== NOWHERE) return slot;
    }
    for (let i = 0; i < CANDIDATES; i += 1) {
      const slot = slots.candidate(i);
      this.#readState(slot);
      // Another thread may just have claimed the last slot for this very key.
      if (slots.isOf(slot, low, high, this.#stateHigh)) return LOST_RACE;
      // The thread that claimed it may be dead. If not, its publication fails, and it starts again.
      if (upperBits(this.#stateHigh) === 0) return slot;
    }
    return NOWHERE;
  }

  /**
   * Ensures that a key may be published in a slot that is claimed for it: the key must have no other slot. Of two slots
   * that threads have claimed for one key, the earlier one in the order of the search stays.
   *
   * @returns whether the key may be published there.
   */
  resolveDuplicates(slot: number, low: number, high: number): boolean {
    const slots = this.#slots;
    // This thread must see its own slot's fingerprint before it looks at other slots.
    if (!this.#holdsNow(slot, low, high)) return false;
    slots.setCandidates(low, high);
    let isBefore = true;
    for (let i = 0; i < CANDIDATES; i += 1) {
      const other = slots.candidate(i);
      if (other === slot) isBefore = false;
      else if (this.#holdsNow(other, low, high) && !this.#vacateDuplicate(other, slot, isBefore)) return false;
      // No thread goes beyond a slot that was never used.
      else if (slots.words[other + STATE + 1] === NEVER_USED) break;
    }
    return true;
  }

  /**
   * Like `SharedSlots.holds`, ordered after this thread's own claim: of two threads, at least one sees the other's
   * slot.
   */
  #holdsNow(slot: number, low: number, high: number): boolean {
    const { words, atomics } = this.#memory;
    const print = (low << PRINT_SHIFT) | (atomics.load(words, slot + STATE + 1) & GENERATION_MASK);
    return atomics.load(words, slot) === print && atomics.load(words, slot + 1) === high;
  }

  /**
   * Frees another slot of the same key if that is a later claim. If it is published, this thread's own claim goes
   * instead.
   */
  #vacateDuplicate(other: number, slot: number, isBefore: boolean): boolean {
    const { words } = this.#slots;
    const low = words[other + STATE]!;
    const high = words[other + STATE + 1]!;
    if (upperBits(high) === 0 && !isBefore) return this.#slots.vacate(other, low, high);
    if (upperBits(high) !== 0) this.#vacateClaim(slot);
    return false;
  }

  #vacateClaim(slot: number): void {
    const { words } = this.#slots;
    const low = words[slot + STATE]!;
    const high = words[slot + STATE + 1]!;
    if (upperBits(high) === 0) this.#slots.vacate(slot, low, high);
  }

  /** Prefers an empty slot to that of an idle key, which may come again. */
  #findClaimableIn(set: number, isIdle: IsIdle): number {
    for (let slot = set; slot < set + SET_WORDS; slot += SLOT_WORDS) {
      this.#readState(slot);
      if (upperBits(this.#stateHigh) === 0 && (this.#stateLow & CLAIMED) === 0) return slot;
    }
    for (let slot = set; slot < set + SET_WORDS; slot += SLOT_WORDS) {
      this.#readState(slot);
      if (upperBits(this.#stateHigh) !== 0 && isIdle(slot, this.#stateLow, this.#stateHigh)) return slot;
    }
    return NOWHERE;
  }

  #readState(slot: number): void {
    this.#stateHigh = this.#slots.upperWord(slot);
    this.#stateLow = this.#slots.words[slot + STATE]!;
  }

  /** Claims the slot that was chosen, if its state is still the one that was read. */
  #claimChosen(slot: number, low: number, high: number, plan: number): boolean {
    const memory = this.#memory;
    const { words, atomics } = memory;
    // Read before the claim. Afterwards a slow thread would read a newer fingerprint, and replace that.
    const printLow = words[slot]!;
    const printHigh = words[slot + 1]!;
    const planNumberAt = this.#slots.planNumberAt(slot);
    const planBefore = atomics.load(words, planNumberAt);
    if (this.#stateHigh === NEVER_USED) this.#slots.markUsed(slot);
    const generation = nextGeneration(this.#stateHigh);
    const state = (this.#stateLow & this.#permanentBits) | CLAIMED;
    if (!memory.swap(slot + STATE, this.#stateLow, this.#stateHigh, state, generation)) return false;
    const planNow = (plan << PRINT_SHIFT) | generation;
    if (
      atomics.compareExchange(words, planNumberAt, planBefore, planNow) === planBefore &&
      memory.swap(slot, printLow, printHigh, (low << PRINT_SHIFT) | generation, high)
    ) {
      return true;
    }
    this.#slots.vacate(slot, state, generation);
    return false;
  }
}
