import type { KeyTable } from "./key-table.ts";

/** A call in this many looks at as many slots: memory stays in proportion to the keys in use, no call waits long. */
const CALLS_PER_STEP = 64;
const SLOTS_PER_STEP = 64;

/**
 * Sweeps a store's tables in small steps as calls come in, one table after another, so that the keys of an idle limiter
 * go too while others of the store are busy. Each table is judged by the clock of its own limiter.
 */
export class Sweeper {
  readonly #tables: KeyTable[] = [];
  #callsLeft = CALLS_PER_STEP;
  #next = 0;

  add(table: KeyTable): void {
    this.#tables.push(table);
  }

  remove(table: KeyTable): void {
    this.#tables.splice(this.#tables.indexOf(table), 1);
  }

  /** Counts a call. */
  called(): void {
    this.#callsLeft -= 1;
    if (this.#callsLeft === 0) this.#step();
  }

  sweepAll(): void {
    for (const table of [...this.#tables]) {
      const nowUs = clockOf(table);
      if (nowUs !== undefined) table.sweepAll(nowUs);
    }
  }

  #step(): void {
    this.#callsLeft = CALLS_PER_STEP;
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
