import { describe, expect, it } from "vitest";
import { Capacity } from "../../../src/stores/local/capacity.ts";
import { SlotTable, type TablePlan } from "../../../src/stores/table/slot-table.ts";
import { randomWords } from "../local/random-words.ts";

const NOW = new Float64Array(1);

interface Key {
  readonly low: number;
  readonly high: number;
  readonly number: number;
  isIdle: boolean;
  slot: number;
}

/** A table, and a plan that knows which keys have to be in it. */
class Filled implements TablePlan {
  size = 0;
  readonly keys: Key[] = [];
  readonly table: SlotTable;
  /** How many keys have moved to their other set. */
  moves = 0;
  inSecondSets = 0;
  refusals = 0;
  reclaimed = 0;
  readonly #number: number;
  readonly #words: () => number;

  constructor(maxKeys: number, width: number, seed: number) {
    this.table = new SlotTable(width, new Capacity("test", { maxKeys }));
    // Other plans take the numbers before this one.
    for (let i = 0; i < seed % 3; i += 1) this.table.add(new Filled(1, width, 0));
    this.#number = this.table.add(this);
    this.#words = randomWords(seed);
  }

  isSlotIdle(slot: number): boolean {
    return this.#keyIn(slot).isIdle;
  }

  onDrop(): void {
    this.size -= 1;
  }

  isRemovable(): boolean {
    return false;
  }

  onRemoved(): void {}

  /** Adds a new key if a slot is free. */
  add(): void {
    const { slots, capacity } = this.table;
    const key = { ...this.#fingerprint(), number: this.keys.length, isIdle: false, slot: -1 };
    if (slots.find(key.low, key.high) >= 0) throw new Error("a new key is there");
    const before = this.size;
    key.slot = this.table.findSlot(key.low, key.high, this, NOW);
    this.reclaimed += before - this.size;
    if (key.slot < 0) {
      this.refusals += 1;
      return;
    }
    if (!slots.isFree(key.slot)) throw new Error("a key is in the way");
    slots.occupy(key.slot, key.low, key.high, this.#number);
    slots.cells.fill(key.number, key.slot, key.slot + slots.width);
    this.size += 1;
    capacity.size += 1;
    this.keys.push(key);
    const first = slots.firstSet(key.low);
    if (![0, 1, 2, 3].some((way) => slots.slot(first, way) === key.slot)) this.inSecondSets += 1;
  }

  drop(key: Key): void {
    const slot = this.table.slots.find(key.low, key.high);
    if (slot >= 0) this.table.drop(slot, this);
    key.isIdle = true;
  }

  /** Every key in use is where a search finds it, with its cells and its plan. */
  check(): void {
    const { slots, capacity } = this.table;
    let found = 0;
    for (const key of this.keys) {
      const slot = slots.find(key.low, key.high);
      if (slot < 0 && key.isIdle) continue;
      if (slot < 0 || this.#keyIn(slot) !== key || slots.planOf(slot) !== this.#number)
        throw new Error(`lost key ${key.number}`);
      if (slots.cells[slot + slots.width - 1] !== key.number) throw new Error(`lost the last cell of ${key.number}`);
      if (slot !== key.slot) this.moves += 1;
      key.slot = slot;
      found += 1;
    }
    if (this.size !== found || capacity.size !== found)
      throw new Error(`${found} keys, ${this.size}, ${capacity.size} counted`);
  }

  /** Some keys share one word with another key. */
  #fingerprint(): { readonly low: number; readonly high: number } {
    const low = this.#words() | 1;
    const high = this.#words() | 0;
    const other = this.keys[this.#words() % (8 * this.keys.length + 8)];
    return other === undefined ? { low, high } : high < 0 ? { low: other.low, high } : { low, high: other.high };
  }

  #keyIn(slot: number): Key {
    return this.keys[this.table.slots.cells[slot]!]!;
  }
}

describe("a slot table", () => {
  it.each([
    [1, 1],
    [2, 3],
    [5, 2],
    [17, 1],
    [100, 2],
    [150, 134],
  ])("finds every key in use after insertions, drops and moves: %d keys of %d cells", (maxKeys, width) => {
    // The test counts how often the interesting cases came up.
    const totals = { moves: 0, inSecondSets: 0, refusals: 0, reclaimed: 0 };
    for (let seed = 1; seed <= 12; seed += 1) {
      const filled = new Filled(maxKeys, width, seed * 1_000_003);
      const below = randomWords(seed);
      for (let round = 0; round < 40; round += 1) {
        for (let left = 1 + (below() % (2 * maxKeys)); left > 0; left -= 1) filled.add();
        filled.check();
        for (const key of filled.keys) {
          if (below() % 8 === 0) key.isIdle = true;
          if (below() % 16 === 0) filled.drop(key);
        }
        filled.check();
      }
      for (const total of Object.keys(totals) as (keyof typeof totals)[]) totals[total] += filled[total];
    }
    // With two sets, every key has the same two, so there is nothing to gain by moving one.
    expect(totals.moves).toBeGreaterThan(maxKeys < 5 ? -1 : 20);
    expect(totals.inSecondSets).toBeGreaterThan(100);
    expect(totals.refusals).toBeGreaterThan(20);
    expect(totals.reclaimed).toBeGreaterThan(100);
  });

  it("has slots for at least eight keys, whichever sets they belong to", () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const filled = new Filled(1, 1, seed);
      for (let i = 0; i < 9; i += 1) filled.add();
      expect([filled.size, filled.refusals]).toEqual([8, 1]);
    }
  });
});
