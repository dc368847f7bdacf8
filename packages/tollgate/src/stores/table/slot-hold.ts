import { LocalHold } from "../local/local-hold.ts";
import type { PlanTable } from "../local/plan-table.ts";
import { PlanSlots } from "./plan-slots.ts";

/** A key's fingerprint and the slot where it was last. */
export class SlotHold extends LocalHold {
  /** Whose secret made the fingerprint. */
  #table: PlanTable | undefined;
  #low = 0;
  #high = 0;
  #slot = -1;
  #word = 0;

  override locateIn(table: PlanTable): number {
    if (!(table instanceof PlanSlots)) return -1;
    if (table !== this.#table) this.#print(table);
    if (this.#slot < 0 || !table.slots.holds(this.#word, this.#low, this.#high)) this.#find(table);
    return this.#slot;
  }

  #print(table: PlanSlots): void {
    table.computeFingerprint(this.key);
    this.#table = table;
    this.#low = table.low;
    this.#high = table.high;
    this.#slot = -1;
  }

  #find({ slots }: PlanSlots): void {
    this.#slot = slots.find(this.#low, this.#high);
    if (this.#slot >= 0) this.#word = slots.wordOf(this.#slot);
  }
}
