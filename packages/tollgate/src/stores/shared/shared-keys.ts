import { type Clock, readUs } from "../../core/clock.ts";
import { TollgateError } from "../../core/errors.ts";
import type { Report } from "../../core/report.ts";
import type { Verb } from "../../core/store.ts";
import type { SharedPlan } from "./shared-plan.ts";
import { type IsFree, LOST, NOWHERE, type Slots, STATE } from "./shared-slots.ts";
import { GENERATION_MASK, upperOf } from "./slot-state.ts";
import type { RevokingKeys, Taking } from "./taking.ts";
import { ADMITTED, AGAIN, DENIED, NO_ROOM, PUBLISHED } from "./slot-values.ts";

/** So often a call tries to get a slot for a new key. */
const MOST_TRIES = 64;

/**
 * One plan's keys in some of a table's slots. A call is decided on a copy of the key's cells; the copy is published if nobody has published
 * another since, or else the call is decided anew. So nobody waits for anybody.
 */
export class SharedKeys implements RevokingKeys {
  readonly slots: Slots;
  readonly #plan: SharedPlan;
  readonly #isFree: IsFree = (slot, low, high) => this.#plan.isSlotIdle(this.slots.ownerOf(slot), slot, low, high);

  constructor(slots: Slots, plan: SharedPlan) {
    this.slots = slots;
    this.#plan = plan;
  }

  /** Decides a call on the key of a hash, at the moment that the plan has noted. */
  decide(low: number, high: number, verb: Verb, costs: readonly number[], report: Report, at: number): number {
    let tries = 0;
    while (tries < MOST_TRIES) {
      const slot = this.slots.find(low, high);
      if (slot === NOWHERE) tries += 1;
      const outcome =
        slot === NOWHERE
          ? this.#decideNew(low, high, verb, costs, report, at)
          : this.#decideAt(slot, low, high, verb, costs, report, at);
      if (outcome !== AGAIN) return outcome;
    }
    return NO_ROOM;
  }

  drop(low: number, high: number): void {
    for (let slot = this.slots.find(low, high); slot !== NOWHERE; slot = this.slots.find(low, high)) {
      const { words } = this.slots;
      const stateHigh = this.slots.upperWord(slot);
      const stateLow = words[slot + STATE]!;
      if (!this.slots.isOf(slot, low, high, stateHigh)) continue;
      // Once: what comes to life afterwards is another's call. Where nothing lives yet, and nowhere else, it is as new.
      const lives = upperOf(stateHigh) !== 0;
      if (lives ? this.slots.vacate(slot, stateLow, stateHigh) : this.slots.mayLive(slot, low, high)) return;
    }
  }

  /** How many there are. Looks at every slot. */
  get size(): number {
    let size = 0;
    for (const own = this.#own(); own.next().done !== true; ) size += 1;
    return size;
  }

  /** Calls that come meanwhile may be forgotten. */
  clear(): void {
    for (const slot of this.#own()) this.#vacateIf(slot, () => true);
  }

  /** Drops keys that are as good as new at the moment that the plan has noted, and says how many. */
  sweep(): number {
    let removed = 0;
    for (const slot of this.#own()) {
      if (this.#vacateIf(slot, (low, high) => this.#isFree(slot, low, high))) removed += 1;
    }
    return removed;
  }

  /** For a key that lies nowhere. One that has to be kept gets a slot, and is decided there. */
  #decideNew(low: number, high: number, verb: Verb, costs: readonly number[], report: Report, at: number): number {
    const plan = this.#plan;
    const admitted = plan.run("new", verb, costs, report, at);
    const { hasChanged } = plan;
    const room = hasChanged
      ? this.slots.take(low, high, plan.number, this.#isFree)
      : this.slots.seek(low, high, this.#isFree);
    if (room === NOWHERE) return NO_ROOM;
    if (hasChanged || room === LOST) return AGAIN;
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
    if (!this.slots.isOf(slot, low, high, stateHigh)) return AGAIN;
    const lives = upperOf(stateHigh) !== 0;
    if (lives) plan.values.read(slot, stateLow, stateHigh);
    else if (!this.slots.mayLive(slot, low, high)) return AGAIN;
    const admitted = plan.run(lives ? "known" : "new", verb, costs, report, at);
    const outcome = admitted ? ADMITTED : DENIED;
    if (!plan.hasChanged) return plan.values.confirm(slot, stateLow, stateHigh) ? outcome : AGAIN;
    const published = plan.publish(slot, stateLow, stateHigh);
    if (published !== PUBLISHED) return published;
    plan.taking?.noteAfter(this, slot, plan.values.published);
    return outcome;
  }

  /**
   * Takes back what a call took from a key of these: everything is as it was where no other call has changed the key
   * since. Otherwise as much as is certain to count still, and nothing from a key that was dropped meanwhile.
   */
  revoke(taking: Taking, clock: Clock): void {
    let outcome = AGAIN;
    while (outcome === AGAIN) {
      // The upper word first: the lower one is of that state, or of a later one, and then every swap fails.
      const high = this.slots.upperWord(taking.slot);
      const low = this.slots.words[taking.slot + STATE]!;
      outcome =
        low === taking.low && high === taking.high ? this.#restore(taking) : this.#revoke(taking, low, high, clock);
    }
  }

  /**
   * Puts the cells of before into a slot whose state is what the take left. (One tick says nothing of changes that
   * others have made and taken back to the very same tick, but then they count for nothing.)
   */
  #restore({ takenAt, slot, low, high, before, wasNew }: Taking): number {
    const plan = this.#plan;
    // A bucket that starts empty begins to fill with its first touch, even a denied one.
    if (wasNew && !plan.plan.startsEmpty) return this.slots.vacate(slot, low, high) ? PUBLISHED : AGAIN;
    plan.reach(takenAt[0]!);
    plan.values.cells.set(before);
    return plan.publish(slot, low, high);
  }

  /** In a slot whose state is another one by now. */
  #revoke(taking: Taking, low: number, high: number, clock: Clock): number {
    const plan = this.#plan;
    const { slot } = taking;
    const isSameKey = ((high ^ taking.high) & GENERATION_MASK) === 0 && upperOf(high) !== 0;
    // The clock after the state: whatever others have taken, they took before this moment. And before the copy: a clock
    // may call limiters.
    if (!(isSameKey && canReach(plan, clock))) return PUBLISHED;
    plan.values.read(slot, low, high);
    plan.compiled.revoke(plan.values.cells, 0, taking.takenAt, plan.now, taking.costs);
    return plan.publish(slot, low, high);
  }

  #vacateIf(slot: number, isSo: (low: number, high: number) => boolean): boolean {
    const { words } = this.slots;
    for (;;) {
      const low = words[slot + STATE]!;
      const high = words[slot + STATE + 1]!;
      if (!(this.#isOwn(slot, high) && isSo(low, high))) return false;
      if (this.slots.vacate(slot, low, high)) return true;
    }
  }

  *#own(): Generator<number> {
    for (let index = 0; index < this.slots.count; index += 1) {
      const slot = this.slots.nth(index);
      if (this.#isOwn(slot, this.slots.words[slot + STATE + 1]!)) yield slot;
    }
  }

  /** Whether one of its keys lives in a slot. */
  #isOwn(slot: number, stateHigh: number): boolean {
    return upperOf(stateHigh) !== 0 && this.slots.ownerOf(slot) === this.#plan.number;
  }
}

/** Notes the time, unless the clock tells none that counts: then what was taken stays. */
function canReach(plan: SharedPlan, clock: Clock): boolean {
  try {
    plan.reach(readUs(clock));
    return true;
  } catch (error) {
    if (error instanceof TollgateError) return false;
    throw error;
  }
}
