import type { Clock } from "../../core/clock.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Capacity } from "../local/capacity.ts";
import { CALLS_PER_SWEEP_STEP } from "../local/local-store.ts";
import type { RowTable } from "./row-table.ts";

/** A sweep step visits one slot for each call since the last: no call waits long. */
const SLOTS_PER_SWEEP_STEP = CALLS_PER_SWEEP_STEP;
/** A slice of a timer's pass, which takes a part of a millisecond. */
const SLOTS_PER_SLICE = 2_048;
/** Fewer slots when a new key finds the store full: that call has to wait for them. */
const SLOTS_PER_RECLAIM = 16;

/**
 * Sweeps a store's tables in small steps as calls come in, one table after another. So the keys of an idle limiter go
 * too while other limiters of the store are busy. Each table is swept by the clocks of its own scope. A table whose
 * clock throws is skipped: that limiter's own calls report the error. A pass removes a table that it leaves empty.
 */
export class Sweeper {
  /** A list, because iterating a set allocates. */
  readonly #tables: RowTable[] = [];
  readonly #capacity: Capacity;
  #next = 0;
  /** How many tables the timer's round has still to pass. */
  #leftInRound = 0;
  #isSweeping = false;

  constructor(capacity: Capacity) {
    this.#capacity = capacity;
  }

  add(table: RowTable): void {
    this.#tables.push(table);
  }

  /** Lets an empty table go. */
  remove(table: RowTable): void {
    this.#removeAt(table, this.#tables.indexOf(table));
  }

  sweepStep(): void {
    this.#capacity.callsUntilSweep = CALLS_PER_SWEEP_STEP;
    this.#sweep(SLOTS_PER_SWEEP_STEP);
  }

  /** Visits a part of all tables, and says whether that ended a round. The next slice goes on, or begins another. */
  sweepSlice(): boolean {
    if (this.#leftInRound <= 0) this.#leftInRound = this.#tables.length;
    this.#sweep(SLOTS_PER_SLICE);
    return this.#leftInRound <= 0;
  }

  /**
   * Drops some idle keys in the middle of a call, at that call's time, which comes from `clock` if that is given. It
   * moves no origin and removes no table. Keys in use stay, even in a full store.
   */
  reclaim(now: TimeCell, clock: Clock | undefined): void {
    if (this.#isSweeping) return;
    let slotsLeft = SLOTS_PER_RECLAIM;
    for (let tables = this.#tables.length; tables > 0 && slotsLeft > 0; tables -= 1) {
      const table = this.#tables[this.#nextIndex()];
      if (table === undefined) return;
      const { clocks } = table;
      const slots = Math.max(1, Math.min(slotsLeft, table.size));
      slotsLeft -= slots;
      const hasTime = clocks.askTime(clock);
      clocks.noLaterThan(now);
      if (!(hasTime && table.reaches(clocks.now)) || table.sweep.step(slots)) this.#next += 1;
    }
  }

  /** A clock may call limiters. Sweeps are not re-entrant. */
  #sweep(slots: number): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    try {
      this.#sweepTables(slots);
    } finally {
      this.#isSweeping = false;
    }
  }

  /** Visits several small tables, but each at most once. A table that rests counts as one slot. */
  #sweepTables(slots: number): void {
    let slotsLeft = slots;
    for (let tables = this.#tables.length; tables > 0 && slotsLeft > 0; tables -= 1) {
      const index = this.#nextIndex();
      const table = this.#tables[index];
      // A clock may have closed limiters, whose empty tables have gone.
      if (table === undefined) return;
      const isDue = table.clocks.askTime() && !table.sweep.rests;
      const visited = isDue ? Math.max(1, Math.min(slotsLeft, table.size)) : 1;
      slotsLeft -= visited;
      if (isDue && !table.sweep.step(visited)) continue;
      this.#next += 1;
      this.#leftInRound -= 1;
      if (isDue && table.isIdle(table.clocks.now)) this.#removeAt(table, index);
    }
  }

  #nextIndex(): number {
    if (this.#next >= this.#tables.length) this.#next = 0;
    return this.#next;
  }

  /** The last table takes its place. */
  #removeAt(table: RowTable, index: number): void {
    if (this.#tables[index] !== table) return;
    this.#tables[index] = this.#tables[this.#tables.length - 1]!;
    this.#tables.pop();
    table.scope.remove(table);
  }
}
