/** The lengths of keys that have tags. A shorter key has too few units; a longer one would take too much memory. */
export const SHORTEST_TAGGED = 5;
export const LONGEST_TAGGED = 256;

/** For each length, the positions of the four units that were learned last: a byte each, the latest one lowest. */
export type TagPositions = Int32Array;
export const POSITIONS_BYTES: number = Int32Array.BYTES_PER_ELEMENT * (LONGEST_TAGGED + 1);

/**
 * A number made of a key's length and some of its units, which takes less time than a hash of all. Keys differ most at
 * their ends, so the units are four of the last ones and the middle one. Four more are learned where these are not
 * enough.
 */
export function tagOf(key: string, positions: TagPositions | undefined): number {
  const { length } = key;
  const tag =
    key.charCodeAt(length - 1) ^
    (key.charCodeAt(length - 2) << 8) ^
    (key.charCodeAt(length - 3) << 16) ^
    (key.charCodeAt(length - 5) << 24) ^
    (key.charCodeAt(length >>> 1) << 5) ^
    (length << 12);
  return positions === undefined ? tag : tag ^ learnedPart(key, positions[length]!);
}

/** 2^32 over the golden ratio (Knuth's multiplicative hashing). */
const MIXER = 0x9e3779b1;

/** 32 bits whose first and last ones number two places of a front cache. */
export function hashOfTag(tag: number): number {
  const product = Math.imul(tag, MIXER);
  return product ^ (product >>> 15);
}

/** A function of its own: engines inline `tagOf` into the hot path only while that is small. */
function learnedPart(key: string, four: number): number {
  const late = key.charCodeAt(four & 0xff) ^ (key.charCodeAt((four >>> 8) & 0xff) << 8);
  const early = (key.charCodeAt((four >>> 16) & 0xff) << 16) ^ (key.charCodeAt(four >>> 24) << 24);
  // The same unit may be in the tag already: it must not cancel itself.
  return Math.imul(late ^ early, MIXER);
}

/** What it takes to learn, in keys that were not cached for the tag of another: first in a trial, then each time. */
const SAME_TAGS_TO_LEARN = 64;
const SAME_TAGS_PER_LESSON = 32;
/** A lesson outdates all tags of a length. So a cache that does not get better stops after so many. */
const MOST_LESSONS = 128;

/** Learns the positions of the units in which keys with the same tag differ. */
export class TagLessons {
  /** Undefined before the first lesson. */
  positions: TagPositions | undefined;
  #left = MOST_LESSONS;
  /** How many keys of the current trial had the tag of another, without those that a lesson was made of. */
  #unusedSameTags = 0;
  /** Whether the current trial had a lesson. */
  hasLearned = false;

  beginTrial(): void {
    this.#unusedSameTags = 0;
    this.hasLearned = false;
  }

  /** Grants new lessons. What was learned stays. */
  renew(): void {
    this.#left = MOST_LESSONS;
  }

  noteSameTag(): void {
    this.#unusedSameTags += 1;
  }

  /** From now on a unit in which these keys of one tag differ counts, if enough keys had the same tags. */
  compare(one: string, other: string): void {
    const { length } = one;
    if (this.#unusedSameTags < SAME_TAGS_TO_LEARN || this.#left === 0 || length !== other.length) return;
    this.#unusedSameTags -= SAME_TAGS_PER_LESSON;
    this.#left -= 1;
    this.hasLearned = true;
    this.positions ??= Int32Array.from({ length: LONGEST_TAGGED + 1 }, (_, each) => lastPositions(each));
    let position = length - 1;
    while (position > 0 && one.charCodeAt(position) === other.charCodeAt(position)) position -= 1;
    this.positions[length] = (this.positions[length]! << 8) | position;
  }
}

function lastPositions(length: number): number {
  return (length - 1) | ((length - 2) << 8) | ((length - 3) << 16) | ((length - 5) << 24);
}
