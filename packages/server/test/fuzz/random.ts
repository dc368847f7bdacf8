/** Numbers that follow from a seed: sfc32 of PractRand, 128 bits of state. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** Streams of one seed are independent of each other. */
  constructor(seed: number, stream: number) {
    this.#a = seed >>> 0;
    this.#b = stream >>> 0;
    this.#c = Math.floor(stream / 2 ** 32) >>> 0;
    // Its author advises it: similar seeds lead to different numbers then.
    for (let i = 0; i < 15; i += 1) this.bits();
  }

  /** 32 random bits. */
  bits(): number {
    const result = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + result) | 0;
    return result >>> 0;
  }

  /** A whole number from 0 to `end - 1`. */
  below(end: number): number {
    return this.bits() % end;
  }

  between(first: number, last: number): number {
    return first + this.below(last - first + 1);
  }

  /** True in so many of a hundred cases. */
  percent(share: number): boolean {
    return this.below(100) < share;
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }

  /** So many values, each made anew. */
  list<Value>(count: number, make: () => Value): Value[] {
    return Array.from({ length: count }, make);
  }

  /** Small most of the time, `most` seldom. */
  size(most: number): number {
    return Math.floor(most ** (this.below(1_000) / 1_000));
  }

  bytes(count: number): Buffer {
    return Buffer.from(this.list(count, () => this.below(256)));
  }
}
