import type { Report } from "../../core/report.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { createTimeCell } from "../../core/time-cell.ts";

/** A table of which a `peek` promised something. */
export interface ReservingTable {
  /**
   * Lets go of a new key's slot, if nothing has been counted for the key since. `now` is when the slot was reserved.
   */
  release(key: string, now: TimeCell, wasChanged: boolean): void;
  /** Gives back the bytes of overflow buckets that were not made. */
  giveUpOverflow(): void;
}

interface Reservation {
  readonly table: ReservingTable;
  readonly what: "a new key" | "an idle key" | "overflow buckets";
  /** Empty for overflow buckets. */
  readonly key: string;
  wasChanged: boolean;
}

/**
 * What a `peek` promised to the keys of one call. A call on several limiters is peeked at before anything is taken.
 * Each of them may find the last slot of one store free, so a slot is reserved for a new key until the call is decided.
 */
export class Reservations {
  readonly #list: Reservation[] = [];
  /** The call at hand. */
  #report: Report | undefined;
  readonly #now = createTimeCell();

  get some(): boolean {
    return this.#list.length > 0;
  }

  /** Belongs to a call that is peeked at: what an earlier call left is released. */
  begin(report: Report, now: TimeCell): void {
    if (report !== this.#report) this.release();
    this.#report = report;
    this.#now[0] = now[0]!;
  }

  addNewKey(table: ReservingTable, key: string): void {
    this.#list.push({ table, what: "a new key", key, wasChanged: false });
  }

  addIdleKey(table: ReservingTable, key: string): void {
    this.#list.push({ table, what: "an idle key", key, wasChanged: false });
  }

  addOverflow(table: ReservingTable): void {
    this.#list.push({ table, what: "overflow buckets", key: "", wasChanged: false });
  }

  /** A verb other than `peek` and `explain` came to a key. */
  noteChange(table: ReservingTable | undefined, key: string): void {
    for (const reservation of this.#list) {
      if (reservation.table === table && reservation.key === key) reservation.wasChanged = true;
    }
  }

  /** Whether some key is reserved in a table that is the one that is looked for. */
  has(table: ReservingTable, isIt: (key: string) => boolean): boolean {
    return this.#list.some((one) => one.table === table && one.what !== "overflow buckets" && isIt(one.key));
  }

  /** The call is decided. */
  release(): void {
    this.#report = undefined;
    for (let left = this.#list.pop(); left !== undefined; left = this.#list.pop()) {
      if (left.what === "overflow buckets") left.table.giveUpOverflow();
      else if (left.what === "a new key") left.table.release(left.key, this.#now, left.wasChanged);
    }
  }
}
