import type { Limit } from "tollgate";
import { createPlan } from "../../../../src/core/plan.ts";
import { KeyFingerprints } from "../../../../src/stores/shared/key-fingerprints.ts";
import { LIMITER, SECRET } from "./model-world.ts";

/** The number of sets in a store for one key. */
const SETS = 8;
export const SLOTS_PER_SET = 4;
/** More than enough to find keys for every set. */
const CANDIDATES = 100_000;

/** Finds keys with the same candidate slots. */
export class CrowdedKeys {
  readonly #fingerprints: KeyFingerprints;
  #count = 0;

  constructor(limits: readonly Limit[]) {
    this.#fingerprints = new KeyFingerprints(SECRET, createPlan(LIMITER, LIMITER, limits));
  }

  /** Keys with the same candidate sets, in the same order. */
  inSameSets(count: number): string[] {
    return this.#alike(count, (key) => this.#setsOf(key).join());
  }

  /** Keys with the same candidate sets and the same overflow bucket. */
  inSameBucket(count: number): string[] {
    return this.#alike(count, (key) => {
      this.#fingerprints.hashBucket(key);
      const { low, high } = this.#fingerprints;
      return [...this.#setsOf(key), low, high].join();
    });
  }

  /** Keys that fill all slots: for each set in turn, as many as it has slots. */
  fillingAll(): string[] {
    const firsts = Array.from({ length: SETS }, (_, set) => set);
    return firsts.flatMap((set) => {
      const keys: string[] = [];
      while (keys.length < SLOTS_PER_SET) {
        const key = this.#another();
        if (this.#setsOf(key)[0] === set) keys.push(key);
      }
      return keys;
    });
  }

  /** The first two sets in which a key may lie. */
  #setsOf(key: string): [number, number] {
    this.#fingerprints.hashKey(key);
    const { low, high } = this.#fingerprints;
    const setOf = (hash: number) => Math.floor(((hash >>> 0) * SETS) / 2 ** 32);
    return [setOf(low), setOf(high)];
  }

  /** The first set in which a key may lie. */
  firstSetOf(key: string): number {
    return this.#setsOf(key)[0];
  }

  #alike(count: number, placeOf: (key: string) => string): string[] {
    const groups = new Map<string, string[]>();
    for (;;) {
      const key = this.#another();
      const place = placeOf(key);
      const group = [...(groups.get(place) ?? []), key];
      if (group.length === count) return group;
      groups.set(place, group);
    }
  }

  #another(): string {
    this.#count += 1;
    if (this.#count > CANDIDATES) throw new Error("crowded keys: expected to find keys among the candidates");
    return `key-${this.#count}`;
  }
}
