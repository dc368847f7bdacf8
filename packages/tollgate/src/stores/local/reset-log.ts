import type { Scope } from "../../core/plan.ts";
import type { Capacity } from "./capacity.ts";

/** How many resets a store remembers. */
const RESETS = 1024;
/** In place of a hash: all keys of the scope were forgotten. */
const ALL_KEYS = Number.NaN;
/** A hash, and a pointer to a scope. */
const BYTES = RESETS * (Float64Array.BYTES_PER_ELEMENT + 8);

/**
 * The last resets of a store, so that a correction does nothing if its key was forgotten since the take. A key is
 * remembered by a keyed hash of 32 bits: one reset in four billion stops the correction of another key. Takes before
 * the oldest reset that is remembered are never corrected.
 */
export class ResetLog {
  /** How many resets there were. */
  count = 0;
  /** Empty before the first reset. */
  #hashes: Float64Array = new Float64Array(0);
  readonly #scopes: Scope[] = [];
  readonly #capacity: Capacity;
  /** The number of the first reset that is remembered. */
  #floor = 0;

  constructor(capacity: Capacity) {
    this.#capacity = capacity;
  }

  /** A key of a scope was forgotten; without a hash, all its keys. */
  add(scope: Scope, hash: number = ALL_KEYS): void {
    if (this.#hashes.length === 0) this.#allocate();
    const { length } = this.#hashes;
    if (length > 0) {
      this.#hashes[this.count % length] = hash;
      this.#scopes[this.count % length] = scope;
    }
    this.count += 1;
    this.#floor = Math.max(this.#floor, this.count - length);
  }

  /** Whether a key may have been forgotten after so many resets. */
  hasForgotten(scope: Scope, hash: number, resetsBefore: number): boolean {
    if (resetsBefore < this.#floor) return true;
    for (let reset = resetsBefore; reset < this.count; reset += 1) {
      const other = this.#hashes[reset % RESETS]!;
      if (this.#scopes[reset % RESETS] === scope && (other === hash || Number.isNaN(other))) return true;
    }
    return false;
  }

  /** Without bytes for the log, nothing is remembered. */
  #allocate(): void {
    if (this.#capacity.bytesLeftInAll < BYTES) return;
    this.#capacity.bytes += BYTES;
    this.#hashes = new Float64Array(RESETS);
    this.#floor = this.count;
  }
}
