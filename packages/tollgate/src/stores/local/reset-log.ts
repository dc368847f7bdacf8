import type { Capacity } from "./capacity.ts";

/** Resets of one set. */
const WAYS = 4;
/** A call allocates one part at most. */
const PART = 8_192;
/** A hash and a number. */
const BYTES = Int32Array.BYTES_PER_ELEMENT + Float64Array.BYTES_PER_ELEMENT;

interface Part {
  readonly hashes: Int32Array;
  /** The number of each reset; 0 where the place is empty. */
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
  /** Each is made by the first reset that it has. The last is for limits all of whose keys were forgotten. */
  readonly #parts: (Part | undefined)[];
  readonly #capacity: Capacity;
  /** Takes before so many resets are not corrected. */
  #floor = 0;

  constructor(capacity: Capacity) {
    this.#capacity = capacity;
    this.#parts = new Array<undefined>(Math.ceil(capacity.mostResets / PART) + 1);
  }

  /** Limits with these hashes were forgotten, of the key with this hash. */
  addOfKey(limitHashes: readonly number[], keyHash: number): void {
    this.count += 1;
    for (const limitHash of limitHashes) this.#add(this.#partOf(limitHash ^ keyHash), limitHash ^ keyHash);
  }

  /** Limits with these hashes were forgotten, of all keys. */
  addOfAll(limitHashes: readonly number[]): void {
    this.count += 1;
    for (const limitHash of limitHashes) this.#add(this.#parts.length - 1, limitHash);
  }

  #add(at: number, hash: number): void {
    this.#parts[at] ??= this.#makePart();
    const part = this.#parts[at];
    // Without bytes for the log, nothing is remembered.
    if (part === undefined) this.#floor = this.count;
    else note(part, hash, this.count);
  }

  /** Whether a limit of a key may have been forgotten after so many resets. */
  hasForgotten(limitHash: number, keyHash: number, resetsBefore: number): boolean {
    const hash = limitHash ^ keyHash;
    const ofAll = lastOf(this.#parts.at(-1), limitHash);
    return resetsBefore < Math.max(this.#floor, ofAll, lastOf(this.#parts[this.#partOf(hash)], hash));
  }

  #partOf(hash: number): number {
    return (hash >>> 16) & (this.#parts.length - 2);
  }

  #makePart(): Part | undefined {
    const { bytesLeftInAll, mostResets } = this.#capacity;
    const size = Math.min(PART, mostResets);
    if (bytesLeftInAll < size * BYTES) return undefined;
    this.#capacity.bytes += size * BYTES;
    return { hashes: new Int32Array(size), numbers: new Float64Array(size) };
  }
}

function firstOf({ hashes }: Part, hash: number): number {
  return hash & (hashes.length - WAYS);
}

/** Puts a reset in the place of the last one with this hash, or else of the oldest one of the set. */
function note(part: Part, hash: number, number: number): void {
  const { hashes, numbers } = part;
  const first = firstOf(part, hash);
  let at = first;
  for (let i = first; i < first + WAYS && !(hashes[at] === hash && numbers[at]! > 0); i += 1) {
    if (numbers[i]! < numbers[at]! || (hashes[i] === hash && numbers[i]! > 0)) at = i;
  }
  hashes[at] = hash;
  numbers[at] = number;
}

/** The number of the last reset that may have this hash; 0 without one. */
function lastOf(part: Part | undefined, hash: number): number {
  if (part === undefined) return 0;
  const { hashes, numbers } = part;
  const first = firstOf(part, hash);
  let oldest = numbers[first]!;
  let last = 0;
  for (let i = first; i < first + WAYS; i += 1) {
    oldest = Math.min(oldest, numbers[i]!);
    if (hashes[i] === hash) last = numbers[i]!;
  }
  return Math.max(oldest, last);
}
