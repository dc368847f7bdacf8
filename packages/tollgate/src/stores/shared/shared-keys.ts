import { type Clock, readUs } from "../../core/clock.ts";
import { TollgateError } from "../../core/errors.ts";
import type { Report } from "../../core/report.ts";
import type { Verb } from "../../core/verbs.ts";
import type { SharedPlan } from "./shared-plan.ts";
import { NOWHERE, type SharedSlots, STATE } from "./shared-slots.ts";
import type { SlotRange } from "./shared-table.ts";
import { type IsIdle, LOST_RACE, type SlotClaims } from "./slot-claims.ts";
import { GENERATION_MASK, upperBits } from "./slot-state.ts";
import { ADMITTED, DENIED, NO_SLOT_LEFT, PUBLISHED, RETRY } from "./slot-values.ts";
import type { RevokingKeys, Taking } from "./taking.ts";

/** How often a call tries to get a slot for a new key. */
const MOST_TRIES = 64;

/**
 * One plan's keys in a part of a table. A thread decides a call on a copy of the key's cells, and publishes the copy if
 * no other thread has published meanwhile. Otherwise it decides the call anew. So no call waits for another.
 */
export class SharedKeys implements RevokingKeys {
  readonly slots: SharedSlots;
  readonly #claims: SlotClaims;
  readonly #plan: SharedPlan;
  readonly #isIdle: IsIdle = (slot, low, high) => this.#plan.isSlotIdle(this.slots.planOf(slot), slot, low, high);

  constructor({ slots, claims }: SlotRange, plan: SharedPlan) {
    this.slots = slots;
    this.#claims = claims;
    this.#plan = plan;
  }

  /** Decides a call on the key with this hash, at the plan's time. */
  decide(low: number, high: number, verb: Verb, costs: readonly number[], report: Report, at: number): number {
    let tries = 0;
    while (tries < MOST_TRIES) {
      const slot = this.slots.find(low, high);
      if (slot === NOWHERE) tries += 1;
      const outcome =
        slot === NOWHERE
          ? this.#decideNew(low, high, verb, costs, report, at)
          : this.#decideAt(slot, low, high, verb, costs, report, at);
      if (outcome !== RETRY) return outcome;
    }
    return NO_SLOT_LEFT;
  }

  drop(low: number, high: number): void {
    for (let slot = this.slots.find(low, high); slot !== NOWHERE; slot = this.slots.find(low, high)) {
      const { words } = this.slots;
      const stateHigh = this.slots.upperWord(slot);
      const stateLow = words[slot + STATE]!;
      if (!this.slots.isOf(slot, low, high, stateHigh)) continue;
      // Once only: a key that is published afterwards belongs to another call. A claim without cells stands for a new
      // key.
      const hasCells = upperBits(stateHigh) !== 0;
      if (hasCells ? this.slots.vacate(slot, stateLow, stateHigh) : this.#claims.resolveDuplicates(slot, low, high))
        return;
    }
  }

  /** How many keys there are. Scans all slots, unless the plan never had a key. */
  get size(): number {
    let size = 0;
    for (let slot = this.#firstKey(); slot !== NOWHERE; slot = this.slots.nextKey(slot)) {
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

  /**
   * Decides a call on a key without a slot. Claims a slot if the key's cells have to be kept; then the call is decided
   * there.
   */
  #decideNew(low: number, high: number, verb: Verb, costs: readonly number[], report: Report, at: number): number {
    const plan = this.#plan;
    const admitted = plan.run("new", verb, costs, report, at);
    const { hasChanged } = plan;
    if (hasChanged) plan.markInserted();
    const slot = hasChanged
      ? this.#claims.claim(low, high, plan.number, this.#isIdle)
      : this.#claims.findClaimable(low, high, this.#isIdle);
    if (slot === NOWHERE) return NO_SLOT_LEFT;
    if (hasChanged || slot === LOST_RACE) return RETRY;
    return admitted ? ADMITTED : DENIED;
  }

  #decideAt(
    slot: number,
    low: number,
    high: number,
    verb: Verb,
    costs: readonly number[],
    report: Report,
    at: number,
  ): number {
    const plan = this.#plan;
    const { words } = this.slots;
    const stateHigh = this.slots.upperWord(slot);
    const stateLow = words[slot + STATE]!;
    if (!this.slots.isOf(slot, low, high, stateHigh)) return RETRY;
    const hasCells = upperBits(stateHigh) !== 0;
    if (hasCells) plan.values.read(slot, stateLow, stateHigh);
    else if (!this.#claims.resolveDuplicates(slot, low, high)) return RETRY;
    const admitted = plan.run(hasCells ? "known" : "new", verb, costs, report, at);
    const outcome = admitted ? ADMITTED : DENIED;
    if (!plan.hasChanged) return plan.values.confirm(slot, stateLow, stateHigh) ? outcome : RETRY;
    const published = plan.publish(slot, stateLow, stateHigh);
    if (published !== PUBLISHED) return published;
    plan.taking?.noteAfter(this, slot, plan.values.published);
    return outcome;
  }

  /**
   * Revokes what a call took from one of these keys. If no other call has changed the key since, its cells become what
   * they were. Otherwise the key gets back what certainly still counts. A key that was dropped meanwhile gets nothing.
   */
  revoke(taking: Taking, clock: Clock): void {
    let outcome = RETRY;
    while (outcome === RETRY) {
      // The upper word comes first. If the lower word is of a later state, every swap fails.
      const high = this.slots.upperWord(taking.slot);
      const low = this.slots.words[taking.slot + STATE]!;
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
    if (wasNew && !plan.compiled.startsEmpty) return this.slots.vacate(slot, low, high) ? PUBLISHED : RETRY;
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

  /** Frees the slots of this plan's keys for which `isDue` holds, and says how many. */
  #vacateAll(isDue: IsIdle): number {
    let vacated = 0;
    for (let slot = this.#firstKey(); slot !== NOWHERE; slot = this.slots.nextKey(slot)) {
      if (this.#vacateIf(slot, isDue)) vacated += 1;
    }
    return vacated;
  }

  #firstKey(): number {
    return this.#plan.mayHaveKeys ? this.slots.firstKey() : NOWHERE;
  }

  #vacateIf(slot: number, isDue: IsIdle): boolean {
    const { words } = this.slots;
    for (;;) {
      const low = words[slot + STATE]!;
      const high = words[slot + STATE + 1]!;
      if (upperBits(high) === 0 || !this.#isOwn(slot) || !isDue(slot, low, high)) return false;
      if (this.slots.vacate(slot, low, high)) return true;
    }
  }

  #isOwn(slot: number): boolean {
    return this.slots.planOf(slot) === this.#plan.number;
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
