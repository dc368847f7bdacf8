import { textBytes } from "./text-bytes.ts";

/** It begins with the fewest places, and goes on to the most where keys are in each other's way. */
const FEWEST_PLACES = 1024;
const MOST_PLACES = 4096;
/** 2^32 over the golden ratio (Knuth's multiplicative hashing). */
const MIXER = 0x9e3779b1;
/** In a place that is free. Shorter than any key that is looked for. */
const NONE = "";

/** A shorter key has too few units to choose by, a longer one would take too much memory. */
const SHORTEST = 5;
const LONGEST = 64;

/** It takes no memory before so many calls. */
const CALLS_BEFORE_FIRST = 64;
/** The tag of a key that is too short or too long; whichever other has it is not kept either. */
const NOT_TO_KEEP = 0;

/** The calls after which it is seen whether it pays. */
const CALLS_PER_TRIAL = 1024;
/** With more keys than this that find both places taken it costs more than it saves. */
const MOST_CROWDED_OUT = CALLS_PER_TRIAL / 2;
const CROWDED_OUT_TO_GROW = CALLS_PER_TRIAL / 8;
const REPEATS_TO_TRY_LAST = CALLS_PER_TRIAL / 4;
/** How many calls go by before it is tried again. */
const CALLS_OF_REST = 128 * CALLS_PER_TRIAL;
/** To take another key's place costs more than to look for it; the keys that matter come again. */
const CROWDED_OUT_PER_NEW_KEY = 4;

/** The arrays' elements for a place: a string's address, and a tag. */
const BYTES_PER_PLACE = 8 + 4;
/** Of a string of `LONGEST` units, with its header. */
const MOST_TEXT_BYTES = 16 + 2 * LONGEST;

/** The bytes that a front cache may take. */
export interface Budget {
  /** Whether there are many more bytes than these. */
  canSpare(bytes: number): boolean;
  charge(bytes: number): void;
}

const UNBOUNDED: Budget = {
  canSpare: () => true,
  charge: () => {},
};

/**
 * The strings of up to 4,096 recent keys, each in one of two places that a handful of its units choose, with some numbers:
 * comparing a key with the string that is there is quicker than hashing all of it. Where keys do not come again soon it rests.
 */
export class RecentKeys {
  /** So many for each place, one place after another. */
  values: Int32Array = new Int32Array(0);
  readonly #valuesPerPlace: number;
  #keys: string[] = [];
  /** Of each place's key: a few of its units, and its length. */
  #tags: Int32Array = new Int32Array(0);
  /** Leaves as many bits of a 32-bit hash as name a pair of places. */
  #pairShift = 0;
  #resting = true;
  #callsLeft = CALLS_BEFORE_FIRST;
  /** Calls of this trial that found no key, whose key found no place that was free, and that found another key than the last. */
  #misses = 0;
  #crowdedOut = 0;
  #changes = 0;
  /** The tag of the key that was looked for in vain. */
  #missingTag = NOT_TO_KEEP;
  #crowdedOutUntilNew = CROWDED_OUT_PER_NEW_KEY;
  /** Which of two places that are taken a new key gets. */
  #turn: 0 | 1 = 0;
  /** The place of the key that was found last. While keys often follow themselves, it is tried before any other. */
  #last = 0;
  #triesLast = false;
  readonly #budget: Budget;
  /** What strings take that nothing else keeps. */
  readonly #textBytes: (text: string) => number;

  /** `ownsTexts` says whether its strings are kept nowhere else. */
  constructor(valuesPerPlace: number, budget: Budget = UNBOUNDED, ownsTexts = false) {
    this.#valuesPerPlace = valuesPerPlace;
    this.#budget = budget;
    this.#textBytes = ownsTexts ? textBytes : () => 0;
  }

  /** The place of a key; -1 if it is in none. */
  find(key: string): number {
    this.#callsLeft -= 1;
    if (this.#callsLeft === 0) this.#judge();
    if (this.#triesLast && this.#keys[this.#last] === key) return this.#last;
    return this.#resting ? -1 : this.#findAmongAll(key);
  }

  #findAmongAll(key: string): number {
    const { length } = key;
    if (length < SHORTEST || length > LONGEST) return this.#miss(NOT_TO_KEEP);
    // What differs most between keys is at their ends.
    const tag =
      key.charCodeAt(length - 1) ^
      (key.charCodeAt(length - 2) << 8) ^
      (key.charCodeAt(length - 3) << 16) ^
      (key.charCodeAt(length - 5) << 24) ^
      (key.charCodeAt(length >>> 1) << 5) ^
      (length << 12);
    const first = this.#firstPlace(tag);
    // 1 if the tags differ. A branch would often be foretold wrong.
    const difference = this.#tags[first]! ^ tag;
    const place = first + ((difference | (0 - difference)) >>> 31);
    if (this.#keys[place] !== key) return this.#miss(tag);
    if (place !== this.#last) {
      this.#last = place;
      this.#changes += 1;
    }
    return place;
  }

  #firstPlace(tag: number): number {
    const mixed = Math.imul(tag, MIXER);
    return ((mixed ^ (mixed >>> 15)) >>> this.#pairShift) << 1;
  }

  #miss(tag: number): -1 {
    this.#misses += 1;
    this.#missingTag = tag;
    return -1;
  }

  /** Where to keep the key that has just been looked for in vain; -1 if nowhere. */
  placeForMissing(): number {
    if (this.#resting || this.#missingTag === NOT_TO_KEEP || !this.#budget.canSpare(MOST_TEXT_BYTES)) return -1;
    const place = this.#placeOf(this.#missingTag);
    if (this.#keys[place] === NONE) return place;
    this.#crowdedOut += 1;
    this.#crowdedOutUntilNew -= 1;
    if (this.#crowdedOutUntilNew > 0) return -1;
    this.#crowdedOutUntilNew = CROWDED_OUT_PER_NEW_KEY;
    this.#turn = this.#turn === 0 ? 1 : 0;
    return place;
  }

  #placeOf(tag: number): number {
    const first = this.#firstPlace(tag);
    // A key of the same tag is not looked for in the second.
    if (this.#tags[first] === tag || this.#keys[first] === NONE) return first;
    return this.#keys[first + 1] === NONE ? first + 1 : first + this.#turn;
  }

  /** Keeps that key in that place: the same text, in memory of its own. Its values are to be set. */
  keep(place: number, own: string): void {
    this.#budget.charge(this.#bytesOf(own) - this.#bytesOf(this.#keys[place]!));
    this.#put(place, own);
  }

  #put(place: number, own: string): void {
    this.#keys[place] = own;
    this.#tags[place] = this.#missingTag;
  }

  #bytesOf(key: string): number {
    return key === NONE ? 0 : this.#textBytes(key);
  }

  /** Takes another string of the same text for the one in a place. */
  replace(place: number, own: string): void {
    this.#keys[place] = own;
  }

  /** The string in a place. */
  at(place: number): string {
    return this.#keys[place]!;
  }

  #judge(): void {
    const hits = CALLS_PER_TRIAL - this.#misses;
    if (this.#resting) this.#wake();
    else if (this.#crowdedOut > CROWDED_OUT_TO_GROW && this.#mayGrow) this.#grow();
    else if (this.#crowdedOut > MOST_CROWDED_OUT) this.#rest();
    else this.#triesLast = hits - this.#changes > REPEATS_TO_TRY_LAST;
    this.#callsLeft = this.#resting ? CALLS_OF_REST : CALLS_PER_TRIAL;
    this.#misses = 0;
    this.#crowdedOut = 0;
    this.#changes = 0;
  }

  #rest(): void {
    this.#resting = true;
    this.#triesLast = false;
  }

  #wake(): void {
    const places = Math.max(FEWEST_PLACES, this.#keys.length);
    if (places > this.#keys.length && !this.#budget.canSpare(this.#arrayBytes(places))) return;
    for (const key of this.#keys) this.#budget.charge(-this.#bytesOf(key));
    this.#beginAnew(places);
  }

  /** The old places are copied before they are let go. */
  get #mayGrow(): boolean {
    return this.#keys.length < MOST_PLACES && this.#budget.canSpare(this.#arrayBytes(MOST_PLACES));
  }

  #arrayBytes(places: number): number {
    return places * (BYTES_PER_PLACE + Int32Array.BYTES_PER_ELEMENT * this.#valuesPerPlace);
  }

  #beginAnew(places: number): void {
    this.#resting = false;
    // A free place must not be tried.
    this.#triesLast = false;
    this.#last = 0;
    if (places === this.#keys.length) {
      this.#keys.fill(NONE);
      this.#tags.fill(0);
      return;
    }
    this.#budget.charge(this.#arrayBytes(places) - this.#arrayBytes(this.#keys.length));
    this.#keys = new Array<string>(places).fill(NONE);
    this.#tags = new Int32Array(places);
    this.values = new Int32Array(this.#valuesPerPlace * places);
    this.#pairShift = Math.clz32(places) + 2;
  }

  #grow(): void {
    const each = this.#valuesPerPlace;
    const keys = this.#keys;
    const tags = this.#tags;
    const values = this.values;
    this.#beginAnew(MOST_PLACES);
    for (const [place, key] of keys.entries()) {
      if (key === NONE) continue;
      this.#missingTag = tags[place]!;
      const to = this.#placeOf(this.#missingTag);
      this.#budget.charge(-this.#bytesOf(this.#keys[to]!));
      this.#put(to, key);
      for (let i = 0; i < each; i += 1) this.values[to * each + i] = values[place * each + i]!;
    }
  }
}
