import type { Report } from "../../core/report.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";

/** A table with reservations. */
export interface ReservingTable {
  /** Frees a new key's slot, unless the key has been counted since. The slot was reserved at `now`. */
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
 * What a `peek` reserved for the keys of one call. A call on several limiters peeks at all of them before it takes. Two
 * of them may find the last slot of one store, so a peek reserves a new key's slot until the call is decided.
 */
export class Reservations {
  readonly #list: Reservation[] = [];
  /** The report of the current call. */
  #report: Report | undefined;
  readonly #now = createTimeCell();

  get areSome(): boolean {
    return this.#list.length > 0;
  }

  /** A call is peeked at. Reservations of an earlier call are released. */
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

  /** A verb that changes cells came to a key. */
  noteChange(table: ReservingTable, key: string): void {
    for (const reservation of this.#list) {
      if (reservation.table === table && reservation.key === key) reservation.wasChanged = true;
    }
  }

  /** Whether a table has a reservation for a key that `isIt` accepts. */
  has(table: ReservingTable, isIt: (key: string) => boolean): boolean {
    return this.#list.some((one) => one.table === table && one.what !== "overflow buckets" && isIt(one.key));
  }

  /** The call is decided. */
  release(): void {
    this.#report = undefined;
    if (this.#list.length === 0) return;
    for (let left = this.#list.pop(); left !== undefined; left = this.#list.pop()) {
      if (left.what === "overflow buckets") left.table.giveUpOverflow();
      else if (left.what === "a new key") left.table.release(left.key, this.#now, left.wasChanged);
    }
  }
}
