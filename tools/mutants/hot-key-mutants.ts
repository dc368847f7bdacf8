import type { Mutant } from "./mutant.ts";

const KEYS = "../metrics/hot-keys/frequent-keys.ts";
const HEAP = "../metrics/hot-keys/least-heap.ts";

export const HOT_KEY_MUTANTS: readonly Mutant[] = [
  {
    name: "a key that loses its slot leaves no count",
    file: KEYS,
    find: "this.#cells[this.#cellOf[slot]!] = least;",
    replace: "",
    why: "a hot key without a slot may exceed the least count",
  },
  {
    name: "a key without a slot is not counted",
    file: KEYS,
    find: "this.#cells[cell] = before + weight;",
    replace: "",
    why: "a key that becomes hot late is never found",
  },
  {
    name: "a new hot key has no error",
    file: KEYS,
    find: "this.#fill(slot, key, cell, before + weight, before);",
    replace: "this.#fill(slot, key, cell, before + weight, 0);",
    why: "calls of other keys are stated as its own",
  },
  {
    name: "a new hot key has the least count as its error",
    file: KEYS,
    find: "this.#fill(slot, key, cell, before + weight, before);",
    replace: "this.#fill(slot, key, cell, least + weight, least);",
    why: "errors are greater than they have to be",
  },
  {
    name: "each new key takes a slot",
    file: KEYS,
    find: "if (before + weight <= least) {",
    replace: "if (weight === 0) {",
    why: "keys that come once push others out",
  },
  {
    name: "an equal key takes a slot",
    file: KEYS,
    find: "if (before + weight <= least) {",
    replace: "if (before + weight < least) {",
    why: "equal keys take turns to push each other out",
  },
  {
    name: "hot keys are listed by their greatest count",
    file: KEYS,
    find: "other.count - other.error - (one.count - one.error)",
    replace: "other.count - one.count",
    why: "an attacker's new key comes before one that is hot for certain",
  },
  {
    name: "cells do not decay",
    file: KEYS,
    find: "[this.#counts, this.#errors, this.#cells]",
    replace: "[this.#counts, this.#errors]",
    why: "keys of long ago push out those of now",
  },
  {
    name: "errors do not decay",
    file: KEYS,
    find: "[this.#counts, this.#errors, this.#cells]",
    replace: "[this.#counts, this.#cells]",
    why: "the stated error exceeds the count",
  },
  {
    name: "the heap compares with one child only",
    file: HEAP,
    find: "child += 1;",
    replace: ";",
    why: "a slot that has not the least count is given away",
  },
  {
    name: "a new slot stays at the end of the heap",
    file: HEAP,
    find: "if (this.#counts[above]! <= count) break;",
    replace: "break;",
    why: "the heap loses its order",
  },
];
