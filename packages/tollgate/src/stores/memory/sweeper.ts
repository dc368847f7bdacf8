import type { KeyTable } from "./key-table.ts";

/** So many slots are looked at in a step: no call waits long. */
const SLOTS_PER_STEP = 64;
/** A call pays for a look at one slot, and a new key for this many: so memory stays within about twice the keys in use. */
const SLOTS_PER_NEW_KEY = 4;

/**
 * Sweeps a store's tables in small steps as calls come in, one table after another, so that the keys of an idle limiter
 * go too while others of the store are busy. Each table is judged by the clock of its own limiter.
 */
export class Sweeper {
  readonly #tables: KeyTable[] = [];
  #slotsUnpaid = SLOTS_PER_STEP;
  #next = 0;

  add(table: KeyTable): void {
    this.#tables.push(table);
  }

  remove(table: KeyTable): void {
    this.#tables.splice(this.#tables.indexOf(table), 1);
  }

  /** Counts a call, and makes a step when enough have come in. */
  called(): void {
    this.#slotsUnpaid -= 1;
    if (this.#slotsUnpaid <= 0) this.#step();
  }

  /** Counts a new key. */
  inserted(): void {
    this.#slotsUnpaid -= SLOTS_PER_NEW_KEY;
  }

  sweepAll(): void {
    for (const table of [...this.#tables]) {
      const nowUs = clockOf(table);
      if (nowUs !== undefined) table.sweepAll(nowUs);
    }
  }

  #step(): void {
    this.#slotsUnpaid = SLOTS_PER_STEP;
    if (this.#next >= this.#tables.length) this.#next = 0;
    const table = this.#tables[this.#next]!;
    const nowUs = clockOf(table);
    if (nowUs === undefined || table.sweepSome(SLOTS_PER_STEP, nowUs)) this.#next += 1;
  }
}

function clockOf(table: KeyTable): number | undefined {
  for (const { host } of table.users) return host.nowUs();
  return undefined;
}
