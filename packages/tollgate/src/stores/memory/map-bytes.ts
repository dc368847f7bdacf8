/** The least capacity of a Map in V8. */
const LEAST_CAPACITY = 4;
/** An entry takes three words, and half a word of a hash bucket. */
const BYTES_PER_ENTRY = 28;

/**
 * Follows the memory of a Map in V8. The Map doubles when its entries, with those deleted since the last rehash, reach
 * its capacity. It halves when less than a quarter of the capacity is in use.
 */
export class MapBytes {
  #capacity = LEAST_CAPACITY;
  #entries = 0;
  #deleted = 0;

  get bytes(): number {
    return BYTES_PER_ENTRY * this.#capacity;
  }

  /**
   * What the next entry takes in addition to `bytes` while it is added: the old entries are freed only after the copy.
   */
  get bytesForNext(): number {
    return this.#isFull ? BYTES_PER_ENTRY * this.#nextCapacity : 0;
  }

  add(): void {
    if (this.#isFull) {
      this.#capacity = this.#nextCapacity;
      this.#deleted = 0;
    }
    this.#entries += 1;
  }

  delete(): void {
    this.#entries -= 1;
    this.#deleted += 1;
    if (this.#entries >= this.#capacity / 4 || this.#capacity === LEAST_CAPACITY) return;
    this.#capacity /= 2;
    this.#deleted = 0;
  }

  clear(): void {
    this.#capacity = LEAST_CAPACITY;
    this.#entries = 0;
    this.#deleted = 0;
  }

  get #isFull(): boolean {
    return this.#entries + this.#deleted === this.#capacity;
  }

  get #nextCapacity(): number {
    return this.#deleted >= this.#capacity / 2 ? this.#capacity : 2 * this.#capacity;
  }
}
