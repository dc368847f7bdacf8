import { ownCopy } from "../../core/text-memory.ts";
import { hashText } from "./hash-text.ts";
import { LeastHeap } from "./least-heap.ts";

/** What is known of a key: its weight is at most `count`, and at least `count - error`. */
export interface KeyCount {
  readonly key: string;
  readonly count: number;
  readonly error: number;
}

/** How many cells there are for each slot, at least. */
const CELLS_PER_SLOT = 16;

/**
 * The keys of a stream that have the greatest weight, in memory that does not grow: Filtered Space-Saving.
 *
 * Some keys have a slot, with a count of their own. All others share cells by their hash. A cell has the weight that
 * its keys may have at most. A key gets the slot with the least count when its cell exceeds that count; the key that
 * loses the slot leaves its count in its own cell. For every stream, in any order:
 *
 * - the weight of a key with a slot is at most `count`, and at least `count - error`;
 * - a key without a slot has at most `least`, so that every key of a greater weight has a slot;
 * - `least` is at most the weight of the stream divided by the number of slots.
 *
 * Keys that come once each share the cells evenly, so they raise `least` to little more than their number divided by
 * that of the cells. Without cells, a flood of such keys would replace all others 16 times as fast.
 *
 * @see Metwally, Agrawal, El Abbadi: "Efficient Computation of Frequent and Top-k Elements in Data Streams" (ICDT
 *   2005); Homem, Carvalho: "Finding top-k elements in data streams" (Information Sciences 180, 2010) adds the cells.
 */
export class FrequentKeys {
  readonly #slots: number;
  readonly #seed: number;
  readonly #slotOf = new Map<string, number>();
  readonly #keys: string[] = [];
  readonly #counts: Float64Array;
  readonly #errors: Float64Array;
  /** For each slot, the cell of its key. */
  readonly #cellOf: Int32Array;
  readonly #heap: LeastHeap;
  readonly #cells: Float64Array;

  /** The keys that share a cell differ with the `seed`, so that an attacker without it cannot choose them. */
  constructor(slots: number, seed: number) {
    this.#slots = slots;
    this.#seed = seed;
    this.#counts = new Float64Array(slots);
    this.#errors = new Float64Array(slots);
    this.#cellOf = new Int32Array(slots);
    this.#heap = new LeastHeap(this.#counts);
    this.#cells = new Float64Array(2 ** Math.ceil(Math.log2(slots * CELLS_PER_SLOT)));
  }

  /** The least count of a slot: keys without a slot have no greater weight. */
  get least(): number {
    return this.#heap.size < this.#slots ? 0 : this.#counts[this.#heap.least]!;
  }

  add(key: string, weight: number): void {
    const slot = this.#slotOf.get(key);
    if (slot === undefined) {
      this.#addOther(key, weight);
      return;
    }
    this.#counts[slot]! += weight;
    this.#heap.grown(slot);
  }

  /** Up to so many keys, those that have the greatest weight for certain first. */
  top(most: number): KeyCount[] {
    return this.#keys
      .map((key, slot) => ({ key, count: this.#counts[slot]!, error: this.#errors[slot]! }))
      .sort((one, other) => other.count - other.error - (one.count - one.error))
      .slice(0, most);
  }

  /** Multiplies all weights. */
  scale(factor: number): void {
    for (const numbers of [this.#counts, this.#errors, this.#cells]) {
      for (let i = 0; i < numbers.length; i += 1) numbers[i]! *= factor;
    }
  }

  #addOther(key: string, weight: number): void {
    const cell = hashText(key, this.#seed) & (this.#cells.length - 1);
    const before = this.#cells[cell]!;
    if (this.#heap.size < this.#slots) {
      const slot = this.#heap.size;
      this.#fill(slot, key, cell, weight, 0);
      this.#heap.push(slot);
      return;
    }
    const slot = this.#heap.least;
    const least = this.#counts[slot]!;
    if (before + weight <= least) {
      this.#cells[cell] = before + weight;
      return;
    }
    this.#slotOf.delete(this.#keys[slot]!);
    // No cell exceeds the least count, so this one covers the key that loses its slot, and those that it had before.
    this.#cells[this.#cellOf[slot]!] = least;
    this.#fill(slot, key, cell, before + weight, before);
    this.#heap.grown(slot);
  }

  #fill(slot: number, key: string, cell: number, count: number, error: number): void {
    const own = ownCopy(key);
    this.#slotOf.set(own, slot);
    this.#keys[slot] = own;
    this.#counts[slot] = count;
    this.#errors[slot] = error;
    this.#cellOf[slot] = cell;
  }
}
