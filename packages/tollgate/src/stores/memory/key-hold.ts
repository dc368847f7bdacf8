import { LocalHold } from "../local/local-hold.ts";
import type { PlanTable } from "../local/plan-table.ts";
import { KeyTable } from "./key-table.ts";

/** A key and the slot where it was last. */
export class KeyHold extends LocalHold {
  #slot = -1;
  /** The very string that the table keeps there: comparing it takes no look at the text. */
  #kept = "";

  override locateIn(table: PlanTable): number {
    if (!(table instanceof KeyTable)) return -1;
    if (this.#slot < 0 || table.keyAt(this.#slot) !== this.#kept) this.#find(table);
    return this.#slot < 0 ? -1 : this.#slot * table.width;
  }

  #find(table: KeyTable): void {
    this.#slot = table.slotOf(this.key);
    this.#kept = table.keyAt(this.#slot) ?? "";
  }
}
