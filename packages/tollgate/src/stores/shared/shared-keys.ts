import type { Report } from "../../core/report.ts";
import type { Verb } from "../../core/store.ts";
import type { SharedPlan } from "./shared-plan.ts";
import { type IsFree, LOST, NOWHERE, type Slots, STATE } from "./slots.ts";
import { upperOf } from "./state.ts";
import { ADMITTED, AGAIN, DENIED, NO_ROOM, PUBLISHED } from "./values.ts";

/** So often a call tries to get a slot for a new key. */
const MOST_TRIES = 64;

/**
 * One plan's keys in some of a table's slots. A call is decided on a copy of the key's cells; the copy is published if nobody has published
 * another since, or else the call is decided anew. So nobody waits for anybody.
 */
export class SharedKeys {
  readonly slots: Slots;
  readonly #plan: SharedPlan;
  readonly #isFree: IsFree = (slot, low, high) => this.#plan.isAsGoodAsNew(this.slots.ownerOf(slot), slot, low, high);

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
    return published === PUBLISHED ? outcome : published;
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
