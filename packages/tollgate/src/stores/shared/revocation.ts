import { type Clock, readUs } from "../../core/clock.ts";
import { TollgateError } from "../../core/errors.ts";
import type { SharedPlan } from "./shared-plan.ts";
import { type SharedSlots, STATE } from "./shared-slots.ts";
import { GENERATION_MASK, upperBits } from "./slot-state.ts";
import { PUBLISHED, RETRY } from "./slot-values.ts";
import type { Taking } from "./taking.ts";

/** Revokes takes from one plan's keys. */
export class Revocation {
  readonly #slots: SharedSlots;
  readonly #plan: SharedPlan;

  constructor(slots: SharedSlots, plan: SharedPlan) {
    this.#slots = slots;
    this.#plan = plan;
  }

  /**
   * Revokes what a call took from one of these keys. If no other call has changed the key since, its cells become what
   * they were. Otherwise the key gets back what certainly still counts. A key that was dropped meanwhile gets nothing.
   */
  revoke(taking: Taking, clock: Clock): void {
    let outcome = RETRY;
    while (outcome === RETRY) {
      // The upper word comes first. If the lower word is of a later state, every swap fails.
      const high = this.#slots.upperWord(taking.slot);
      const low = this.#slots.words[taking.slot + STATE]!;
      outcome =
        low === taking.low && high === taking.high ? this.#restore(taking) : this.#revoke(taking, low, high, clock);
    }
  }

  /**
   * Restores the earlier cells in a slot whose state is the one that the take left. Other threads may have moved a
   * single tick and moved it back to the same value. Those changes cancel out, so they need no detection.
   */
  #restore({ takenAt, slot, low, high, before, wasNew }: Taking): number {
    const plan = this.#plan;
    // A bucket that starts empty keeps its slot: it begins to fill with its first call, even a denied one.
    if (wasNew && !plan.compiled.startsEmpty) return this.#slots.vacate(slot, low, high) ? PUBLISHED : RETRY;
    plan.setTime(takenAt[0]!);
    plan.values.cells.set(before);
    return plan.publish(slot, low, high);
  }

  /** Revokes in a slot whose state has changed since. */
  #revoke(taking: Taking, low: number, high: number, clock: Clock): number {
    const plan = this.#plan;
    const { slot } = taking;
    const isSameKey = ((high ^ taking.high) & GENERATION_MASK) === 0 && upperBits(high) !== 0;
    // The clock comes after the state: whatever other calls have taken, they took before this moment. It comes before
    // the copy, because a clock may call limiters.
    if (!(isSameKey && canSetTime(plan, clock))) return PUBLISHED;
    plan.values.read(slot, low, high);
    plan.compiled.revoke(plan.values.cells, 0, taking.takenAt, plan.now, taking.costs);
    return plan.publish(slot, low, high);
  }
}

/** Sets the plan's time. False if the clock fails: then what was taken stays taken. */
function canSetTime(plan: SharedPlan, clock: Clock): boolean {
  try {
    plan.setTime(readUs(clock));
    return true;
  } catch (error) {
    if (error instanceof TollgateError) return false;
    throw error;
  }
}
