import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { KeyHash } from "./key-hash.ts";
import type { Secrets } from "./secrets.ts";

/** How many buckets the overflowed keys of one plan share. */
export const OVERFLOW_BUCKETS = 256;

/**
 * Assigns keys to buckets, the same in all tables of a store. Its hash is keyed, so an attacker cannot choose a
 * victim's bucket.
 */
export class BucketNumbers {
  readonly #secrets: Secrets;
  #hash: KeyHash | undefined;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  of(key: string): number {
    this.#hash ??= new KeyHash(this.#secrets.next());
    this.#hash.hash(key);
    return this.#hash.words[0]! & (OVERFLOW_BUCKETS - 1);
  }
}

/** The buckets of overflowed keys: a fixed number, each under all limits of the plan. */
export class OverflowBuckets {
  readonly cells: Float64Array;
  readonly #width: number;

  constructor(compiled: CompiledPlan, now: TimeCell) {
    this.#width = compiled.width;
    this.cells = new Float64Array(OVERFLOW_BUCKETS * this.#width);
    for (let base = 0; base < this.cells.length; base += this.#width) compiled.init(this.cells, base, now);
  }

  static bytes(width: number): number {
    return OVERFLOW_BUCKETS * width * Float64Array.BYTES_PER_ELEMENT;
  }

  /** Where the cells of a bucket begin. */
  baseOf(bucket: number): number {
    return bucket * this.#width;
  }

  areIdle(compiled: CompiledPlan, now: TimeCell): boolean {
    for (let base = 0; base < this.cells.length; base += this.#width) {
      if (!compiled.isIdle(this.cells, base, now)) return false;
    }
    return true;
  }

  rebase(compiled: CompiledPlan, from: CompiledPlan): void {
    for (let base = 0; base < this.cells.length; base += this.#width) compiled.rebase(this.cells, base, from);
  }
}
