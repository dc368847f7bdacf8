import { hashOfTag, LONGEST_TAGGED, POSITIONS_BYTES, SHORTEST_TAGGED, TagLessons, tagOf } from "./key-tag.ts";

const PLACES = 4096;
/** What leaves the bits of a 32-bit hash that number a place: the first, and the second. */
const SHIFT = 20;
const MASK = PLACES - 1;
/** The array elements of a place: a string's address and a tag. */
const BYTES_PER_PLACE = 8 + 4;
/** The tag of keys that are too short or too long. Other keys with this tag are not cached either. */
const NOT_TO_KEEP = 0;

/** The cache takes no memory before so many calls. */
const CALLS_BEFORE_FIRST = 64;
/** After so many calls the cache decides whether to rest. */
const CALLS_PER_TRIAL = 1024;
/** If more keys than this find both places taken, the cache costs more than it saves. */
const MOST_CROWDED_OUT = CALLS_PER_TRIAL / 2;
/** How many calls a rest lasts. */
const CALLS_OF_REST = 128 * CALLS_PER_TRIAL;
/** Replacing a key costs more than a lookup, and frequent keys come again. So one of so many replaces another. */
const CROWDED_OUT_PER_NEW_KEY = 4;

/**
 * A front cache with the strings of up to 4,096 recent keys. A tag of a few units chooses a key's two places.
 * Each place has some numbers, such as a slot. Comparing a key with a cached string is faster than hashing it. The
 * cache learns which units to use. It rests while keys do not repeat.
 */
export class RecentKeys {
  /** The numbers of all places, `valuesPerPlace` each. */
  values: Int32Array = new Int32Array(0);
  readonly #valuesPerPlace: number;
  readonly #reserve: (bytes: number) => boolean;
  /** The string in each place. */
  keys: (string | undefined)[] = [undefined];
  /** The tag of each place's key. */
  #tags: Int32Array = new Int32Array(0);
  readonly #lessons = new TagLessons();
  #isResting = true;
  #callsLeft = CALLS_BEFORE_FIRST;
  /** How many keys of the current trial found both places taken. */
  #crowdedOut = 0;
  /** The tag of the last key that was looked for among all. */
  #tag = NOT_TO_KEEP;
  /** The place of the last key that was found, which often comes again at once. */
  #last = 0;

  /** `reserve` takes bytes for the cache. It returns false if there are too few. */
  constructor(valuesPerPlace: number, reserve: (bytes: number) => boolean = () => true) {
    this.#valuesPerPlace = valuesPerPlace;
    this.#reserve = reserve;
  }

  /** The place of a key; -1 if it is in none. */
  find(key: string): number {
    const callsLeft = this.#callsLeft - 1;
    this.#callsLeft = callsLeft;
    if (callsLeft === 0) this.#judge();
    if (this.keys[this.#last] === key) return this.#last;
    return this.#isResting ? -1 : this.#findAmongAll(key);
  }

  #findAmongAll(key: string): number {
    this.#tag = NOT_TO_KEEP;
    if (key.length < SHORTEST_TAGGED || key.length > LONGEST_TAGGED) return -1;
    const tag = tagOf(key, this.#lessons.positions);
    this.#tag = tag;
    const hash = hashOfTag(tag);
    const first = hash >>> SHIFT;
    // Chooses the second place if the tags differ. The processor would often mispredict a branch.
    const difference = this.#tags[first]! ^ tag;
    const place = first ^ ((first ^ (hash & MASK)) & ((difference | (0 - difference)) >> 31));
    if (this.keys[place] !== key) return -1;
    this.#last = place;
    return place;
  }

  /** The place for the key that was not found last; -1 if it is not to be cached. */
  placeForMissing(): number {
    if (this.#isResting || this.#tag === NOT_TO_KEEP) return -1;
    const place = this.#placeOf(this.#tag);
    if (this.keys[place] === undefined) return place;
    this.#crowdedOut += 1;
    if (this.#tags[place] === this.#tag) this.#lessons.noteSameTag();
    return this.#crowdedOut % CROWDED_OUT_PER_NEW_KEY === 0 ? place : -1;
  }

  #placeOf(tag: number): number {
    const hash = hashOfTag(tag);
    const first = hash >>> SHIFT;
    const second = hash & MASK;
    // A key of the same tag would not be looked for in the other place.
    if (this.#tags[first] === tag || this.keys[first] === undefined) return first;
    if (this.#tags[second] === tag || this.keys[second] === undefined) return second;
    return this.#crowdedOut % (2 * CROWDED_OUT_PER_NEW_KEY) < CROWDED_OUT_PER_NEW_KEY ? first : second;
  }

  /** Puts the key that was not found last into a place: its text, in memory of its own. The caller sets the values. */
  keep(place: number, own: string): void {
    if (this.#tags[place] === this.#tag) this.#lessons.compare(own, this.keys[place]!);
    this.keys[place] = own;
    this.#tags[place] = this.#tag;
  }

  #judge(): void {
    if (this.#isResting) this.#wake();
    else this.#isResting = this.#crowdedOut > MOST_CROWDED_OUT && !this.#lessons.hasLearned;
    this.#callsLeft = this.#isResting ? CALLS_OF_REST : CALLS_PER_TRIAL;
    this.#crowdedOut = 0;
    this.#lessons.beginTrial();
  }

  #wake(): void {
    if (this.values.length === 0) {
      const bytes = BYTES_PER_PLACE + Int32Array.BYTES_PER_ELEMENT * this.#valuesPerPlace;
      if (!this.#reserve(PLACES * bytes + POSITIONS_BYTES)) return;
      this.#tags = new Int32Array(PLACES);
      this.values = new Int32Array(PLACES * this.#valuesPerPlace);
    }
    this.keys = new Array<string | undefined>(PLACES).fill(undefined);
    this.#tags.fill(0);
    this.#isResting = false;
    this.#lessons.renew();
  }
}
