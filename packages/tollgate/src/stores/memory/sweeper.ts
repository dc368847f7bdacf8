import type { Clock } from "../../core/clock.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Capacity } from "../local/capacity.ts";
import { CALLS_PER_SWEEP_STEP } from "../local/local-store.ts";
import type { KeyTable } from "./key-table.ts";

/** A sweep step visits one slot for each call since the last: no call waits long. */
const SLOTS_PER_SWEEP_STEP = CALLS_PER_SWEEP_STEP;
/** Fewer slots when a new key finds the store full: that call has to wait for them. */
const SLOTS_PER_RECLAIM = 16;
/** A new key counts as this many calls, so that a pass over many new keys takes a small part of an interval. */
const CALLS_PER_NEW_KEY = 4;
const TABLES_PER_NEW_TABLE = 4;
/** A slice of a timer's pass looks at so many cells, which takes a part of a millisecond. */
const CELLS_PER_SLICE = 2 ** 15;
/** What a slot takes without its cells. */
const CELLS_PER_SLOT = 8;

/**
 * Sweeps a store's tables in small steps as calls come in, one table after another. So the keys of an idle limiter go
 * too while other limiters of the store are busy. Each table is swept by the clock of its own limiter. A table whose
 * clock throws is skipped: that limiter's own calls report the error. A pass removes a table that it leaves empty.
 */
export class Sweeper {
  readonly #tables: KeyTable[] = [];
  readonly #capacity: Capacity;
  readonly #onRemoved: (table: KeyTable) => void;
  #next = 0;
  #nextToCheck = 0;
  /** The table that the timer's pass will visit next, and the one that it has visited in part. */
  #passIndex = -1;
  #passTable: KeyTable | undefined;
  #isSweeping = false;

  constructor(capacity: Capacity, onRemoved: (table: KeyTable) => void) {
    this.#capacity = capacity;
    this.#onRemoved = onRemoved;
  }

  add(table: KeyTable): void {
    this.#tables.push(table);
  }

  /**
   * Checks a few tables and removes the empty ones. A `peek` may make a table, and no sweep follows it; a later new
   * table pays.
   */
  removeEmptyTables(): void {
    for (let i = 0; i < TABLES_PER_NEW_TABLE && this.#tables.length > 0; i += 1) {
      this.#nextToCheck = (this.#nextToCheck + 1) % this.#tables.length;
      if (this.#tables[this.#nextToCheck]?.isEmpty && !this.#isSweeping) this.#remove(this.#nextToCheck);
    }
  }

  sweepStep(): void {
    this.#sweep("some");
  }

  /** Counts a new key. */
  inserted(): void {
    this.#capacity.callsUntilSweep -= CALLS_PER_NEW_KEY;
  }

  /**
   * Visits a part of all tables and says whether that ended the pass. The next slice goes on, or begins another pass.
   */
  sweepSlice(): boolean {
    this.#sweep("a slice");
    return this.#passIndex < 0;
  }

  /**
   * Drops some idle keys in the middle of a call, at that call's time, which comes from `clock` if that is given. It
   * moves no origin, notifies no limiter and removes no table. Keys in use stay, even in a full store.
   */
  reclaim(callTime: TimeCell, clock: Clock | undefined): void {
    if (this.#isSweeping) return;
    const { clockReadings } = this.#capacity;
    clockReadings.beginCall(clock, callTime);
    let slotsLeft = SLOTS_PER_RECLAIM;
    for (let tables = this.#tables.length; tables > 0 && slotsLeft > 0; tables -= 1) {
      const table = this.#tables[this.#nextIndex()]!;
      const slots = Math.max(1, Math.min(slotsLeft, table.size));
      slotsLeft -= slots;
      const hasTime = table.users.askTime(clockReadings);
      table.users.noLaterThan(callTime);
      if (!(hasTime && table.reaches(table.users.now)) || table.sweep.step(slots)) this.#next += 1;
    }
  }

  /** Sweep listeners may call limiters. Sweeps are not re-entrant. */
  #sweep(extent: "some" | "a slice"): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    try {
      if (extent === "a slice") this.#sweepCells();
      else this.#sweepSome();
    } finally {
      this.#isSweeping = false;
    }
  }

  /** From the last table to the first: the last takes the place of one that is removed. */
  #sweepCells(): void {
    if (this.#passIndex < 0) this.#passIndex = this.#tables.length - 1;
    const { clockReadings } = this.#capacity;
    let cells = CELLS_PER_SLICE;
    while (cells > 0 && this.#passIndex >= 0) {
      const table = this.#tables[this.#passIndex];
      const cellsPerSlot = CELLS_PER_SLOT + (table?.width ?? 0);
      const slots = Math.max(1, Math.min(table?.size ?? 0, Math.ceil(cells / cellsPerSlot)));
      cells -= slots * cellsPerSlot;
      // Calls may have removed the table since the last slice.
      clockReadings.begin();
      if (table?.users.askTime(clockReadings) && !this.#stepPass(table, slots)) continue;
      this.#passTable = undefined;
      this.#passIndex -= 1;
    }
  }

  /** Sweeps some slots and says whether those were a table's last. */
  #stepPass(table: KeyTable, slots: number): boolean {
    // A pass that calls began has seen keys that have become idle since.
    if (table !== this.#passTable) table.sweep.cancel();
    this.#passTable = table;
    if (!table.sweep.step(slots)) return false;
    table.sweep.notifyIfDue();
    if (!table.sweep.hasNews && table.isIdle(table.users.now)) this.#remove(this.#passIndex);
    return true;
  }

  #sweepSome(): void {
    this.#capacity.callsUntilSweep = CALLS_PER_SWEEP_STEP;
    const { clockReadings } = this.#capacity;
    clockReadings.begin();
    let slotsLeft = SLOTS_PER_SWEEP_STEP;
    // A step may visit several small tables, but each at most once. A table that rests counts as one slot.
    for (let tables = this.#tables.length; tables > 0 && slotsLeft > 0; tables -= 1) {
      const index = this.#nextIndex();
      const table = this.#tables[index]!;
      const isDue = table.users.askTime(clockReadings) && !table.sweep.rests;
      const slots = isDue ? Math.max(1, Math.min(slotsLeft, table.size)) : 1;
      slotsLeft -= slots;
      if (!isDue) this.#next += 1;
      else if (table.sweep.step(slots)) this.#endPass(index);
    }
  }

  #nextIndex(): number {
    if (this.#next >= this.#tables.length) this.#next = 0;
    return this.#next;
  }

  #endPass(index: number): void {
    const table = this.#tables[index]!;
    this.#next += 1;
    table.sweep.notifyIfDue();
    if (!table.sweep.hasNews && table.isIdle(table.users.now)) this.#remove(index);
  }

  /** The last table takes its place. */
  #remove(index: number): void {
    const table = this.#tables[index]!;
    this.#tables[index] = this.#tables[this.#tables.length - 1]!;
    this.#tables.pop();
    this.#onRemoved(table);
  }
}
