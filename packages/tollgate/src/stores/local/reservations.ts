import type { Instant } from "../../core/instant.ts";
import { createInstant } from "../../core/instant.ts";
import type { Report } from "../../core/report.ts";

/** A table of which a `peek` promised something. */
export interface ReservingTable {
  /** Drops a key that was put in for a promise, if nothing has been counted for it since. */
  dropIfUnused(key: string, now: Instant, wasChanged: boolean): void;
  /** Gives back the bytes of overflow buckets that were not made. */
  giveUpOverflow(): void;
}

interface Reservation {
  readonly table: ReservingTable;
  /** Undefined where overflow buckets were promised. */
  readonly key: string | undefined;
  wasChanged: boolean;
}

/**
 * What a `peek` promised to the keys of one call. A call on several limiters is peeked at before anything is taken. Each of them may find
 * the last slot of one store free, so a slot is reserved for a new key until the call is decided.
 */
export class Reservations {
  readonly #list: Reservation[] = [];
  /** The call at hand. */
  #report: Report | undefined;
  readonly #now = createInstant();

  get some(): boolean {
    return this.#list.length > 0;
  }

  /** Belongs to a call that is peeked at: what an earlier call left is released. */
  begin(report: Report, now: Instant): void {
    if (report !== this.#report) this.release();
    this.#report = report;
    this.#now[0] = now[0]!;
  }

  addKey(table: ReservingTable, key: string): void {
    this.#list.push({ table, key, wasChanged: false });
  }

  addOverflow(table: ReservingTable): void {
    this.#list.push({ table, key: undefined, wasChanged: false });
  }

  /** A verb other than `peek` and `explain` came to a key. */
  noteChange(table: ReservingTable | undefined, key: string): void {
    for (const reservation of this.#list) {
      if (reservation.table === table && reservation.key === key) reservation.wasChanged = true;
    }
  }

  has(table: ReservingTable, holds: (key: string) => boolean): boolean {
    return this.#list.some(
      (reservation) => reservation.table === table && reservation.key !== undefined && holds(reservation.key),
    );
  }

  /** The call is decided. */
  release(): void {
    this.#report = undefined;
    for (let left = this.#list.pop(); left !== undefined; left = this.#list.pop()) {
      if (left.key === undefined) left.table.giveUpOverflow();
      else left.table.dropIfUnused(left.key, this.#now, left.wasChanged);
    }
  }
}
