import type { SlotSet } from "./slot-set.ts";

/** The indexes of slots with keys, plan by plan: sweeps of many plans would each walk over the keys of all. */
export class SlotsByPlan {
  readonly #indexes: Int32Array;
  /** Where the indexes of a plan begin. Those of the next plan follow. */
  readonly #begins: Int32Array;

  /** `plans` has the number of each slot's plan. */
  constructor(plans: Uint16Array, taken: SlotSet) {
    let most = 0;
    let count = 0;
    for (let i = taken.next(0); i >= 0; i = taken.next(i + 1)) {
      most = Math.max(most, plans[i]!);
      count += 1;
    }
    this.#indexes = new Int32Array(count);
    this.#begins = new Int32Array(most + 2);
    for (let i = taken.next(0); i >= 0; i = taken.next(i + 1)) this.#begins[plans[i]! + 1]! += 1;
    for (let plan = 0; plan <= most; plan += 1) this.#begins[plan + 1]! += this.#begins[plan]!;
    const ends = this.#begins.slice();
    for (let i = taken.next(0); i >= 0; i = taken.next(i + 1)) {
      const plan = plans[i]!;
      this.#indexes[ends[plan]!] = i;
      ends[plan]! += 1;
    }
  }

  of(plan: number): Int32Array {
    return this.#indexes.subarray(this.#begins[plan] ?? 0, this.#begins[plan + 1] ?? 0);
  }
}
