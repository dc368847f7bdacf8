import type { Capacity } from "./capacity.ts";

/** Resets of one set. */
const WAYS = 4;
/** The most resets of limits all of whose keys were forgotten. */
const MOST_OF_ALL = 2 ** 12;
/** A hash and a number. */
const BYTES = Int32Array.BYTES_PER_ELEMENT + Float64Array.BYTES_PER_ELEMENT;

/** Resets in sets of four. */
interface Resets {
  readonly hashes: Int32Array;
  /** The number of each reset; 0 where there is no reset. */
  readonly numbers: Float64Array;
}

/**
 * The last resets of a store, so that a correction does nothing under a limit that was forgotten since the take. Each
 * is a keyed hash of 32 bits: of a scope, a counts name and a key, or of a scope and a counts name where all keys were
 * forgotten. A set of four has the latest resets whose hashes end alike. Takes before the oldest of a full set are not
 * corrected, because one that was older may have been theirs.
 */
export class ResetLog {
  /** How many resets there were. */
  count = 0;
  /** Made by the first reset of a key, and of all keys. */
  #ofKeys: Resets | undefined;
  #ofAll: Resets | undefined;
  readonly #capacity: Capacity;
  /** Takes before so many resets are not corrected. */
  #floor = 0;

  constructor(capacity: Capacity) {
    this.#capacity = capacity;
  }

  /** Limits with these hashes were forgotten, of the key with this hash. */
  addOfKey(limitHashes: readonly number[], keyHash: number): void {
    this.count += 1;
    this.#ofKeys ??= this.#make(this.#capacity.mostResets);
    for (const limitHash of limitHashes) this.#add(this.#ofKeys, limitHash ^ keyHash);
  }

  /** Limits with these hashes were forgotten, of all keys. */
  addOfAll(limitHashes: readonly number[]): void {
    this.count += 1;
    this.#ofAll ??= this.#make(Math.min(this.#capacity.mostResets, MOST_OF_ALL));
    for (const limitHash of limitHashes) this.#add(this.#ofAll, limitHash);
  }

  #add(resets: Resets | undefined, hash: number): void {
    // Without bytes for the log, nothing is remembered.
    if (resets === undefined) this.#floor = this.count;
    else note(resets, hash, this.count);
  }

  /** Whether a limit of a key may have been forgotten after so many resets. */
  hasForgotten(limitHash: number, keyHash: number, resetsBefore: number): boolean {
    const last = Math.max(lastOf(this.#ofAll, limitHash), lastOf(this.#ofKeys, limitHash ^ keyHash));
    return resetsBefore < Math.max(this.#floor, last);
  }

  #make(size: number): Resets | undefined {
    if (this.#capacity.bytesLeftInAll < size * BYTES) return undefined;
    this.#capacity.bytes += size * BYTES;
    return { hashes: new Int32Array(size), numbers: new Float64Array(size) };
  }
}

function firstOf({ hashes }: Resets, hash: number): number {
  return hash & (hashes.length - WAYS);
}

/** Puts a reset in the place of the last one with this hash, or else of the oldest one of the set. */
function note(resets: Resets, hash: number, number: number): void {
  const { hashes, numbers } = resets;
  const first = firstOf(resets, hash);
  let at = first;
  for (let i = first; i < first + WAYS && !(hashes[at] === hash && numbers[at]! > 0); i += 1) {
    if (numbers[i]! < numbers[at]! || (hashes[i] === hash && numbers[i]! > 0)) at = i;
  }
  hashes[at] = hash;
  numbers[at] = number;
}

/** The number of the last reset that may have this hash; 0 without one. */
function lastOf(resets: Resets | undefined, hash: number): number {
  if (resets === undefined) return 0;
  const { hashes, numbers } = resets;
  const first = firstOf(resets, hash);
  let oldest = numbers[first]!;
  let last = 0;
  for (let i = first; i < first + WAYS; i += 1) {
    oldest = Math.min(oldest, numbers[i]!);
    if (hashes[i] === hash) last = numbers[i]!;
  }
  return Math.max(oldest, last);
}
