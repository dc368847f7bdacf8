/** Slots in a binary heap, so that the slot with the least count is found at once. Counts only grow. */
export class LeastHeap {
  readonly #counts: Float64Array;
  /** The slots, each with a count no less than that of its parent. */
  readonly #slots: Int32Array;
  /** Where each slot is in the heap. */
  readonly #places: Int32Array;
  #size = 0;

  /** `counts` has a count for each slot. It belongs to the caller, which names the slots that have changed. */
  constructor(counts: Float64Array) {
    this.#counts = counts;
    this.#slots = new Int32Array(counts.length);
    this.#places = new Int32Array(counts.length);
  }

  get size(): number {
    return this.#size;
  }

  /** The slot with the least count. The heap must not be empty. */
  get least(): number {
    return this.#slots[0]!;
  }

  push(slot: number): void {
    const count = this.#counts[slot]!;
    let place = this.#size;
    this.#size += 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = this.#slots[parent]!;
      if (this.#counts[above]! <= count) break;
      this.#put(above, place);
      place = parent;
    }
    this.#put(slot, place);
  }

  /** Restores the order after the count of a slot has grown. */
  grown(slot: number): void {
    const counts = this.#counts;
    const slots = this.#slots;
    const count = counts[slot]!;
    const size = this.#size;
    let place = this.#places[slot]!;
    for (let child = 2 * place + 1; child < size; child = 2 * place + 1) {
      if (child + 1 < size && counts[slots[child + 1]!]! < counts[slots[child]!]!) child += 1;
      const below = slots[child]!;
      if (counts[below]! >= count) break;
      this.#put(below, place);
      place = child;
    }
    this.#put(slot, place);
  }

  #put(slot: number, place: number): void {
    this.#slots[place] = slot;
    this.#places[slot] = place;
  }
}
