import type { SharedPlan } from "./shared-plan.ts";
import { NOWHERE, type SharedSlots, STATE } from "./shared-slots.ts";
import type { IsIdle } from "./slot-claims.ts";
import { FROZEN, type KeySlot, LIVE } from "./slot-search.ts";
import { upperBits } from "./slot-state.ts";

/** Visits all keys of one plan in a part of a table. */
export class KeyScan {
  readonly #slots: SharedSlots;
  readonly #plan: SharedPlan;
  readonly #isIdle: IsIdle = (slot, low, high) => this.#plan.isSlotIdle(this.#plan.number, slot, low, high);

  constructor(slots: SharedSlots, plan: SharedPlan) {
    this.#slots = slots;
    this.#plan = plan;
  }

  /** How many keys there are. Scans all slots, unless the plan never had a key. */
  get size(): number {
    let size = 0;
    for (let slot = this.#firstKey(); slot !== NOWHERE; slot = this.#slots.nextKey(slot)) {
      if (this.#isOwn(slot)) size += 1;
    }
    return size;
  }

  /** Drops all keys. Calls of other threads at the same time may be forgotten. */
  clear(): void {
    this.#vacateAll(() => true);
  }

  /** Drops the keys that are idle at the plan's time, and says how many. */
  sweep(): number {
    return this.#vacateAll(this.#isIdle);
  }

  /** Visits the slots of all keys. */
  each(visit: (slot: number) => void): void {
    for (let slot = this.#firstKey(); slot !== NOWHERE; slot = this.#slots.nextKey(slot)) visit(slot);
  }

  /** What a slot has of this plan's keys: live or frozen cells. */
  rowAt(slot: number): KeySlot | undefined {
    const high = this.#slots.upperWord(slot);
    const low = this.#slots.words[slot + STATE]!;
    if (upperBits(high) === 0 || !this.#isOwn(slot)) return undefined;
    return { kind: this.#slots.isFrozen(slot, high) ? FROZEN : LIVE, slot, low, high };
  }

  /** Frees the slots of this plan's keys for which `isDue` holds, and says how many. */
  #vacateAll(isDue: IsIdle): number {
    let vacated = 0;
    for (let slot = this.#firstKey(); slot !== NOWHERE; slot = this.#slots.nextKey(slot)) {
      if (this.#vacateIf(slot, isDue)) vacated += 1;
    }
    return vacated;
  }

  #firstKey(): number {
    return this.#plan.mayHaveKeys ? this.#slots.firstKey() : NOWHERE;
  }

  #vacateIf(slot: number, isDue: IsIdle): boolean {
    const { words } = this.#slots;
    for (;;) {
      const low = words[slot + STATE]!;
      const high = words[slot + STATE + 1]!;
      if (upperBits(high) === 0 || !this.#isOwn(slot) || !isDue(slot, low, high)) return false;
      if (this.#slots.vacate(slot, low, high)) return true;
    }
  }

  #isOwn(slot: number): boolean {
    return this.#slots.planOf(slot) === this.#plan.number;
  }
}
