/** A bijection of 32-bit numbers whose results look random. Source: Wellons, "Prospecting for hash functions", 2018. */
export function mix32(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x21f0aaad);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0x735a2d97);
  mixed ^= mixed >>> 15;
  return mixed >>> 0;
}

/** The same numbers for the same seed, whole and below 2^32. `floor/floor.c` has the same generator. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    return mix32(this.#state);
  }

  /** A whole number below `count`. The product is exact: counts are below 2^21. */
  below(count: number): number {
    return Math.floor((this.next() * count) / 2 ** 32);
  }
}

/** The same items in an order that the seed decides. */
export function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const random = new Random(seed);
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1);
    const moved = result[last]!;
    result[last] = result[other]!;
    result[other] = moved;
  }
  return result;
}
