import { ownCopy } from "../../core/text-memory.ts";

/** What is known of a key: its weight is at most `count`, and at least `count - error`. */
export interface KeyCount {
  readonly key: string;
  readonly count: number;
  readonly error: number;
}

/**
 * The keys of a stream that have the greatest weight, in memory that does not grow: Misra-Gries with batched evictions.
 *
 * A new key may have had up to `least` before, so its count begins there, and its error is `least`. When there are more
 * than `2 × slots` keys, the count that `slots` keys have at least becomes `least`, and the keys that do not exceed it
 * are evicted. For every stream, in any order:
 *
 * - the weight of a key that is kept is at most `count`, and at least `count - error`;
 * - a key that is not kept has at most `least`, so that every key of a greater weight is kept;
 * - `least` is at most the weight of the stream divided by `slots`: the sum of `count - least` over all keys grows with
 *   the stream, and each eviction lowers it for `slots` keys by what it adds to `least`.
 *
 * @see Misra, Gries: "Finding repeated elements" (Science of Computer Programming 2, 1982); Anderson, Bevin, Lang,
 *   Liberty, Rhodes, Thaler: "A High-Performance Algorithm for Identifying Frequent Items in Data Streams" (IMC 2017).
 */
export class FrequentKeys {
  readonly #slots: number;
  readonly #counts = new Map<string, { count: number; error: number }>();
  #least = 0;

  constructor(slots: number) {
    this.#slots = slots;
  }

  /** Keys that are not kept have no greater weight. */
  get least(): number {
    return this.#least;
  }

  add(key: string, weight: number): void {
    const known = this.#counts.get(key);
    if (known !== undefined) {
      known.count += weight;
      return;
    }
    this.#counts.set(ownCopy(key), { count: this.#least + weight, error: this.#least });
    if (this.#counts.size > 2 * this.#slots) this.#evict();
  }

  /** Up to so many keys, those that have the greatest weight for certain first. */
  top(most: number): KeyCount[] {
    return Array.from(this.#counts, ([key, counted]) => ({ key, ...counted }))
      .sort((one, other) => other.count - other.error - (one.count - one.error))
      .slice(0, most);
  }

  /** Multiplies all weights. */
  scale(factor: number): void {
    this.#least *= factor;
    for (const counted of this.#counts.values()) {
      counted.count *= factor;
      counted.error *= factor;
    }
  }

  #evict(): void {
    const ascending = Float64Array.from(this.#counts.values(), ({ count }) => count).sort();
    this.#least = ascending[ascending.length - this.#slots]!;
    for (const [key, { count }] of this.#counts) if (count <= this.#least) this.#counts.delete(key);
  }
}
