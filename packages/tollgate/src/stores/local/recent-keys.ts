const PLACES = 4096;
/** Leaves as many bits of a 32-bit hash as name a pair of places. */
const PAIR_SHIFT = 21;
/** 2^32 over the golden ratio (Knuth's multiplicative hashing). */
const MIXER = 0x9e3779b1;

/** A shorter key has no four units to choose by, a longer one would take too much memory. */
const SHORTEST = 4;
const LONGEST = 64;

/** The calls after which it is seen whether it pays. */
const CALLS_PER_TRIAL = 1024;
/** With fewer it costs more than it saves. */
const HITS_TO_GO_ON = CALLS_PER_TRIAL / 2;
const REPEATS_TO_TRY_LAST = CALLS_PER_TRIAL / 4;
/** How many calls go by before it is tried again. */
const CALLS_OF_REST = 32 * CALLS_PER_TRIAL;
/** To keep a key costs more than to look for it; the keys that matter come again. */
const MISSES_PER_NEW_KEY = 4;

/**
 * The strings of up to 4,096 recent keys, each in one of two places that a handful of its units choose, with some numbers:
 * comparing a key with the strings that are there is quicker than hashing all of it. Where keys do not come again soon it rests, and
 * before the first thousand calls it takes no memory.
 */
export class RecentKeys {
  /** So many for each place, one place after another. */
  values: Int32Array = new Int32Array(0);
  readonly #valuesPerPlace: number;
  #keys: string[] = [];
  #resting = true;
  #callsLeft = CALLS_PER_TRIAL;
  #hits = 0;
  #missesUntilNew = 1;
  /** Where the key that was looked for last belongs; -1 if nowhere. */
  #place = -1;
  /** Which of two places the next new key gets: 0 the later, 1 the earlier. */
  #earlier = 0;
  /** The key that was found last, and its place. While keys often follow themselves, it is tried before any place. */
  #lastKey = "";
  #lastPlace = -1;
  #triesLast = false;
  #repeats = 0;

  constructor(valuesPerPlace: number) {
    this.#valuesPerPlace = valuesPerPlace;
  }

  /** The place of a key; -1 if it is in none. */
  find(key: string): number {
    this.#callsLeft -= 1;
    if (this.#callsLeft === 0) this.#judge();
    if (this.#triesLast && this.#lastKey === key && this.#lastPlace >= 0) {
      this.#hits += 1;
      this.#repeats += 1;
      this.#place = this.#lastPlace;
      return this.#lastPlace;
    }
    this.#place = -1;
    if (this.#resting) return -1;
    return this.#findAmongAll(key);
  }

  #findAmongAll(key: string): number {
    const { length } = key;
    if (length < SHORTEST || length > LONGEST) return -1;
    const some =
      key.charCodeAt(length - 1) |
      (key.charCodeAt(length - 2) << 8) |
      (key.charCodeAt(length - 3) << 16) |
      (key.charCodeAt(1) << 24);
    const mixed = Math.imul(some ^ (length << 12), MIXER);
    let place = 2 * ((mixed ^ (mixed >>> 15)) >>> PAIR_SHIFT);
    let known = this.#keys[place]!;
    if (known !== key) {
      place += 1;
      known = this.#keys[place]!;
    }
    if (known !== key) {
      this.#place = place - this.#earlier;
      return -1;
    }
    this.#place = place;
    this.#hits += 1;
    if (place === this.#lastPlace) this.#repeats += 1;
    this.#lastPlace = place;
    this.#lastKey = known;
    return place;
  }

  /** Whether the key that has just been looked for in vain should be kept. */
  get wantsIt(): boolean {
    if (this.#place < 0) return false;
    this.#missesUntilNew -= 1;
    if (this.#missesUntilNew > 0) return false;
    this.#missesUntilNew = MISSES_PER_NEW_KEY;
    return true;
  }

  /** Keeps that key: the same text, in memory of its own. Returns its place, whose values are to be set. */
  keep(own: string): number {
    this.#keys[this.#place] = own;
    this.#earlier = 1 - this.#earlier;
    if (this.#place === this.#lastPlace) this.#lastPlace = -1;
    return this.#place;
  }

  /** The string in a place. */
  at(place: number): string {
    return this.#keys[place]!;
  }

  #judge(): void {
    this.#resting = !this.#resting && this.#hits < HITS_TO_GO_ON;
    this.#callsLeft = this.#resting ? CALLS_OF_REST : CALLS_PER_TRIAL;
    this.#triesLast = this.#repeats > REPEATS_TO_TRY_LAST;
    this.#hits = 0;
    this.#repeats = 0;
    if (this.#resting || this.#keys.length > 0) return;
    // No key that is long enough equals it.
    this.#keys = new Array<string>(PLACES).fill("");
    this.values = new Int32Array(this.#valuesPerPlace * PLACES);
  }
}
