const STRIDE = 16;

/**
 * The bytes of `count` different addresses. Each call of `key` cuts out a new string, as an HTTP parser cuts a header
 * out of a packet: flat, without a cached hash, in no table of the engine.
 */
export class KeyPool {
  readonly count: number;
  readonly #bytes: Buffer;
  readonly #lengths: Uint8Array;

  constructor(count: number) {
    this.count = count;
    this.#bytes = Buffer.alloc(count * STRIDE);
    this.#lengths = new Uint8Array(count);
    for (let index = 0; index < count; index += 1) {
      this.#lengths[index] = this.#bytes.write(addressOf(index), index * STRIDE, "latin1");
    }
  }

  key(index: number): string {
    const start = index * STRIDE;
    return this.#bytes.toString("latin1", start, start + this.#lengths[index]!);
  }
}

/** Neighbours in the pool have nothing in common. No two indices have the same address. */
function addressOf(index: number): string {
  const bits = mix32(index + 1);
  return `${bits >>> 24}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}`;
}

/** A bijection of 32-bit numbers with random-looking results: Wellons, "Prospecting for hash functions", 2018. */
function mix32(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x21f0aaad);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0x735a2d97);
  mixed ^= mixed >>> 15;
  return mixed >>> 0;
}

/** Returns whole numbers below a count: the same sequence for the same seed. */
export function randomBelow(seed: number): (count: number) => number {
  let state = seed | 0;
  return (count) => {
    state = (state + 0x9e3779b9) | 0;
    return Math.floor((mix32(state) * count) / 2 ** 32);
  };
}

/** A copy of the items in an order that the seed decides. */
export function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const below = randomBelow(seed);
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = below(last + 1);
    [result[last], result[other]] = [result[other]!, result[last]!];
  }
  return result;
}
