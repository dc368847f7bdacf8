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
   * Revokes what a call took from one of these keys. If the key's cells are as the call left them, they become what
   * they were. Otherwise the key gets back what certainly still counts. A key that was dropped meanwhile gets nothing.
   */
  revoke(taking: Taking, clock: Clock): void {
    let outcome = RETRY;
    while (outcome === RETRY) outcome = this.#tryToRevoke(taking, clock);
  }

  #tryToRevoke(taking: Taking, clock: Clock): number {
    const plan = this.#plan;
    const { slot, after } = taking;
    // The upper word comes first. If the lower word is of a later state, every swap fails.
    const high = this.#slots.upperWord(slot);
    const low = this.#slots.words[slot + STATE]!;
    if (((high ^ taking.high) & GENERATION_MASK) !== 0 || upperBits(high) === 0) return PUBLISHED;
    plan.values.read(slot, low, high);
    if (plan.values.cells.every((cell, i) => Object.is(cell, after[i]))) return this.#restore(taking, low, high);
    // The clock comes after the state: whatever other calls have taken, they took before this moment. It comes before
    // the copy, because a clock may call limiters.
    if (!canSetTime(plan, clock)) return PUBLISHED;
    plan.values.read(slot, low, high);
    plan.compiled.revoke(plan.values.cells, 0, taking.takenAt, plan.now, taking.costs);
    return plan.publish(slot, low, high);
  }

  #restore({ takenAt, slot, before, wasNew }: Taking, low: number, high: number): number {
    const plan = this.#plan;
    // A bucket that starts empty keeps its slot: it begins to fill with its first call, even a denied one.
    if (wasNew && !plan.compiled.startsEmpty) return this.#slots.vacate(slot, low, high) ? PUBLISHED : RETRY;
    plan.setTime(takenAt[0]!);
    plan.values.cells.set(before);
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
