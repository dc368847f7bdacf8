import type { TimeCell } from "../../core/time-cell.ts";
import type { Capacity } from "../local/capacity.ts";
import type { ScopeUsers } from "./scope-users.ts";

/** A table whose slots are swept. Removing a row moves the last one into its slot. */
export interface SweptTable {
  readonly capacity: Capacity;
  readonly users: ScopeUsers;
  /** The number of slots in use. */
  readonly size: number;
  /** Prepares the table for this moment. */
  reach(now: TimeCell): void;
  /** Removes the row in a slot if it is idle at the users' time. */
  removeIfIdle(slot: number): boolean;
  /** Gives memory back after a pass. */
  endPass(): void;
}

/**
 * Drops the idle keys of a table at its scope's time, in passes over all slots. A pass goes from the last slot to the
 * first, in as many steps as the caller wants. A pass begins, and its limiters are notified, at most once in an
 * interval, so that a client that is often idle keeps its slot.
 */
export class TableSweep {
  readonly #table: SweptTable;
  readonly #intervalUs: number;
  /** The next slot; below 0 between passes. */
  #cursor = -1;
  /** When the last pass began. A new table rests first: else its first keys would go at once if they are idle. */
  #beganUs: number;
  #removed = 0;
  #notifiedUs = Number.NEGATIVE_INFINITY;

  constructor(table: SweptTable, intervalUs: number, nowUs: number) {
    this.#table = table;
    this.#intervalUs = intervalUs;
    this.#beganUs = nowUs;
  }

  /** Whether no pass is under way, and the next one is not due. In a store that is nearly full it is always due. */
  get rests(): boolean {
    return this.#cursor < 0 && !this.#table.capacity.isNearlyFull && this.#isRecent(this.#beganUs);
  }

  /** Whether limiters have yet to be notified. */
  get hasNews(): boolean {
    return this.#removed > 0;
  }

  /** Sweeps up to `count` slots, and says whether that ended a pass over all. */
  step(count: number): boolean {
    const { users, size } = this.#table;
    this.#table.reach(users.now);
    if (this.#cursor < 0) this.#beganUs = users.now[0]!;
    // A new pass begins; or the limiter has dropped keys since this one began.
    if (this.#cursor < 0 || this.#cursor >= size) this.#cursor = size - 1;
    this.#sweepDownTo(Math.max(0, this.#cursor - count + 1));
    if (this.#cursor >= 0) return false;
    this.#table.endPass();
    return true;
  }

  /** Sweeps all slots, notifies the limiters, and says how many keys that removed. */
  all(): number {
    const { users } = this.#table;
    this.#table.reach(users.now);
    this.#beganUs = users.now[0]!;
    const before = this.#removed;
    this.#cursor = this.#table.size - 1;
    this.#sweepDownTo(0);
    const removed = this.#removed - before;
    this.#table.endPass();
    this.notify();
    return removed;
  }

  /** Ends the pass without sweeping the rest. */
  cancel(): void {
    this.#cursor = -1;
  }

  /** Notifies the table's limiters of the keys that were removed, if the last notification is an interval ago. */
  notifyIfDue(): void {
    if (!this.#isRecent(this.#notifiedUs)) this.notify();
  }

  /** Notifies the table's limiters of the keys that were removed, if there are any. */
  notify(): void {
    const removed = this.#removed;
    if (removed === 0) return;
    const { users, size } = this.#table;
    this.#removed = 0;
    this.#notifiedUs = users.now[0]!;
    users.notifySwept(removed, size);
  }

  /** Whether an interval has not passed since. If the clock went back, it has. */
  #isRecent(us: number): boolean {
    const sinceUs = this.#table.users.now[0]! - us;
    return sinceUs >= 0 && sinceUs < this.#intervalUs;
  }

  #sweepDownTo(last: number): void {
    const before = this.#removed;
    for (; this.#cursor >= last; this.#cursor -= 1) {
      if (this.#table.removeIfIdle(this.#cursor)) this.#removed += 1;
    }
    this.#table.capacity.sweptCount += this.#removed - before;
  }
}
