/** A Map's least capacity in V8. */
const LEAST_CAPACITY = 4;
/** Three words for an entry, and half a word of a hash bucket. */
const BYTES_PER_ENTRY = 28;

/**
 * What a Map takes in V8. It doubles when entries, with those deleted since it was last built, have reached its
 * capacity, and halves when less than a quarter is left.
 */
export class MapBytes {
  #capacity = LEAST_CAPACITY;
  #entries = 0;
  #deleted = 0;

  get bytes(): number {
    return BYTES_PER_ENTRY * this.#capacity;
  }

  /** What the next entry takes beside `bytes` until it is in: the old entries are copied before they are let go. */
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
