import type { TimeCell } from "../../core/time-cell.ts";
import type { Capacity } from "../local/capacity.ts";
import { CALLS_PER_SWEEP_STEP } from "../local/local-store.ts";
import type { KeyTable } from "./key-table.ts";

/** So many slots are looked at in a step, one for each call: no call waits long. */
const SLOTS_PER_STEP = CALLS_PER_SWEEP_STEP;
/** And at so many when a new key finds the store full: it has to wait for that. */
const SLOTS_PER_RECLAIM = 16;
/** A new key counts as so many calls: so a store keeps about twice the keys in use. */
const CALLS_PER_NEW_KEY = 4;
const TABLES_PER_NEW_TABLE = 4;

/**
 * Sweeps a store's tables in small steps as calls come in, one table after another, so that the keys of an idle limiter
 * go too while others of the store are busy. Each table is judged by the clock of its own limiter; one whose clock fails
 * is passed over, which is for that limiter's own calls to say. A table that a pass leaves empty is let go.
 */
export class Sweeper {
  readonly #tables: KeyTable[] = [];
  readonly #capacity: Capacity;
  readonly #retire: (table: KeyTable) => void;
  #next = 0;
  #nextUntouched = 0;
  #sweeping = false;

  constructor(room: Capacity, retire: (table: KeyTable) => void) {
    this.#capacity = room;
    this.#retire = retire;
  }

  add(table: KeyTable): void {
    this.#tables.push(table);
  }

  /**
   * Lets a few tables go of which nothing is left. Nothing is cleaned up after a look, so each new table makes up for
   * those that looks have made.
   */
  letGoOfUntouched(): void {
    for (let i = 0; i < TABLES_PER_NEW_TABLE && this.#tables.length > 0; i += 1) {
      this.#nextUntouched = (this.#nextUntouched + 1) % this.#tables.length;
      if (this.#tables[this.#nextUntouched]?.isUntouched && !this.#sweeping) this.#letGo(this.#nextUntouched);
    }
  }

  step(): void {
    this.#sweep("a step");
  }

  /** Counts a new key. */
  inserted(): void {
    this.#capacity.callsUntilSweep -= CALLS_PER_NEW_KEY;
  }

  sweepAll(): void {
    this.#sweep("all");
  }

  /**
   * Drops what is as good as new at a call's own time, in the middle of that call: it moves no origin, tells nobody and lets
   * no table go. A store that is full of keys in use is left as it is.
   */
  reclaim(callTime: TimeCell): void {
    if (this.#sweeping) return;
    let slotsLeft = SLOTS_PER_RECLAIM;
    for (let tables = this.#tables.length; tables > 0 && slotsLeft > 0; tables -= 1) {
      const table = this.#tables[this.#index()]!;
      const looksAt = Math.max(1, Math.min(slotsLeft, table.size));
      slotsLeft -= looksAt;
      const told = table.users.askTime();
      table.users.noLaterThan(callTime);
      if (!(told && table.reaches(table.users.now)) || table.sweepSome(looksAt)) this.#next += 1;
    }
  }

  /** Who hears of a sweep may call a limiter, and that would sweep: not while a table is being judged. */
  #sweep(extent: "a step" | "all"): void {
    if (this.#sweeping) return;
    this.#sweeping = true;
    try {
      if (extent === "all") this.#passAll();
      else this.#step();
    } finally {
      this.#sweeping = false;
    }
  }

  #passAll(): void {
    for (let index = this.#tables.length - 1; index >= 0; index -= 1) {
      const table = this.#tables[index]!;
      if (!table.users.askTime()) continue;
      table.sweepAll();
      if (table.isIdle(table.users.now)) this.#letGo(index);
    }
  }

  #step(): void {
    this.#capacity.callsUntilSweep = CALLS_PER_SWEEP_STEP;
    let slotsLeft = SLOTS_PER_STEP;
    // Once round at the most: small tables are many to a step.
    for (let tables = this.#tables.length; tables > 0 && slotsLeft > 0; tables -= 1) {
      const index = this.#index();
      const table = this.#tables[index]!;
      const looksAt = Math.max(1, Math.min(slotsLeft, table.size));
      slotsLeft -= looksAt;
      if (!table.users.askTime()) this.#next += 1;
      else if (table.sweepSome(looksAt)) this.#endPass(index);
    }
  }

  /** Whose turn it is. */
  #index(): number {
    if (this.#next >= this.#tables.length) this.#next = 0;
    return this.#next;
  }

  #endPass(index: number): void {
    const table = this.#tables[index]!;
    this.#next += 1;
    table.notifySwept();
    if (table.isIdle(table.users.now)) this.#letGo(index);
  }

  /** The last table takes its place. */
  #letGo(index: number): void {
    const table = this.#tables[index]!;
    this.#tables[index] = this.#tables[this.#tables.length - 1]!;
    this.#tables.pop();
    this.#retire(table);
  }
}
