import type { Mutant } from "./mutant.ts";

const KEYS = "../metrics/hot-keys/frequent-keys.ts";

export const HOT_KEY_MUTANTS: readonly Mutant[] = [
  {
    name: "a new key begins at nothing",
    file: KEYS,
    find: "{ count: this.#least + weight, error: this.#least }",
    replace: "{ count: weight, error: 0 }",
    why: "a hot key that was evicted may have more than its count",
  },
  {
    name: "a new key has no error",
    file: KEYS,
    find: "{ count: this.#least + weight, error: this.#least }",
    replace: "{ count: this.#least + weight, error: 0 }",
    why: "calls of other keys are stated as its own",
  },
  {
    name: "new keys are evicted as they come",
    file: KEYS,
    find: "this.#counts.size > 2 * this.#slots",
    replace: "this.#counts.size > this.#slots",
    why: "the least count grows faster than the stream divided by the slots",
  },
  {
    name: "an eviction goes by the greatest count",
    file: KEYS,
    find: "ascending[ascending.length - this.#slots]!",
    replace: "ascending[ascending.length - 1]!",
    why: "hot keys are evicted",
  },
  {
    name: "the least count is one too low",
    file: KEYS,
    find: "this.#least = ascending",
    replace: "this.#least = -1 + ascending",
    why: "an evicted key may exceed the least count",
  },
  {
    name: "hot keys are listed by their greatest count",
    file: KEYS,
    find: "other.count - other.error - (one.count - one.error)",
    replace: "other.count - one.count",
    why: "an attacker's new key comes before one that is hot for certain",
  },
  {
    name: "the least count does not decay",
    file: KEYS,
    find: "this.#least *= factor;",
    replace: "",
    why: "keys of long ago raise the counts of those of now",
  },
  {
    name: "errors do not decay",
    file: KEYS,
    find: "counted.error *= factor;",
    replace: "",
    why: "the stated error exceeds the count",
  },
];
