import { CacheBudget, NONE } from "./cache-budget.ts";
import type { Budget } from "./capacity.ts";
import { hashOfTag, LONGEST_TAGGED, SHORTEST_TAGGED, TagLessons, type TagPositions, tagOf } from "./key-tag.ts";
import { Replacements } from "./replacements.ts";

/** The cache starts with the fewest places, and grows to the most if many keys find no free place. */
const FEWEST_PLACES = 1024;
const MOST_PLACES = 4096;
/** The cache takes no memory before so many calls. */
const CALLS_BEFORE_FIRST = 64;
/** The tag of keys that are too short or too long. Other keys with this tag are not cached either. */
const NOT_TO_KEEP = 0;

/** After so many calls the cache decides whether to rest. */
const CALLS_PER_TRIAL = 1024;
/** If more keys than this find both places taken, the cache costs more than it saves. */
const MOST_CROWDED_OUT = CALLS_PER_TRIAL / 2;
const CROWDED_OUT_TO_GROW = CALLS_PER_TRIAL / 8;
const REPEATS_TO_TRY_LAST = CALLS_PER_TRIAL / 4;
/** How many calls a rest lasts. */
const CALLS_OF_REST = 128 * CALLS_PER_TRIAL;
/**
 * A front cache with the strings of up to 4,096 recent keys. A tag of a few units chooses a key's two places.
 * Each place has some numbers, such as a slot. Comparing a key with a cached string is faster than hashing it. The
 * cache learns which units to use. It rests while keys do not repeat.
 */
export class RecentKeys {
  /** The numbers of all places, `valuesPerPlace` each. */
  values: Int32Array = new Int32Array(0);
  readonly #valuesPerPlace: number;
  #keys: string[] = [];
  /** The tag of each place's key. */
  #tags: Int32Array = new Int32Array(0);
  readonly #lessons = new TagLessons();
  /** What the lessons have taught. */
  #positions: TagPositions | undefined;
  /** What leaves the bits of a 32-bit hash that number a place: the first, and the second. */
  #shift = 0;
  #mask = 0;
  #resting = true;
  #callsLeft = CALLS_BEFORE_FIRST;
  /** Counts of the current trial: misses, keys without a free place, and hits of another key than the last. */
  #misses = 0;
  #crowdedOut = 0;
  #changes = 0;
  /** The tag of the last miss. */
  #missingTag = NOT_TO_KEEP;
  readonly #replacements = new Replacements();
  /** Which of two taken places a new key replaces. */
  #turn: 0 | 1 = 0;
  /** The place of the last hit. */
  #last = 0;
  /** Whether keys often repeat at once. */
  #triesLast = false;
  /** The key in that place, to be tried first; undefined while keys seldom repeat. */
  #lastKey: string | undefined;
  readonly #budget: CacheBudget;

  /** `ownsTexts` says whether only the cache keeps its strings. */
  constructor(valuesPerPlace: number, budget?: Budget, ownsTexts = false) {
    this.#valuesPerPlace = valuesPerPlace;
    this.#budget = new CacheBudget(valuesPerPlace, budget, ownsTexts);
  }

  /** The place of a key; -1 if it is in none. */
  find(key: string): number {
    const callsLeft = this.#callsLeft - 1;
    this.#callsLeft = callsLeft;
    if (callsLeft === 0) this.#judge();
    if (this.#lastKey === key) return this.#last;
    return this.#resting ? -1 : this.#findAmongAll(key);
  }

  #findAmongAll(key: string): number {
    if (key.length < SHORTEST_TAGGED || key.length > LONGEST_TAGGED) return this.#miss(NOT_TO_KEEP);
    const tag = tagOf(key, this.#positions);
    const hash = hashOfTag(tag);
    const first = hash >>> this.#shift;
    // Chooses the second place if the tags differ. The processor would often mispredict a branch.
    const difference = this.#tags[first]! ^ tag;
    const place = first ^ ((first ^ (hash & this.#mask)) & ((difference | (0 - difference)) >> 31));
    if (this.#keys[place] !== key) return this.#miss(tag);
    if (place !== this.#last) {
      this.#last = place;
      this.#changes += 1;
      if (this.#triesLast) this.#lastKey = this.#keys[place];
    }
    return place;
  }

  #miss(tag: number): -1 {
    this.#misses += 1;
    this.#missingTag = tag;
    return -1;
  }

  /** The place for the key of the last miss; -1 if it is not to be cached. */
  placeForMissing(): number {
    if (this.#resting || this.#missingTag === NOT_TO_KEEP || !this.#budget.canSpareKey) return -1;
    const place = this.#placeOf(this.#missingTag);
    if (this.#keys[place] === NONE) return place;
    if (this.#isOutdated(place)) this.#replacements.hasten();
    else this.#countCrowdedOut(place);
    if (!this.#replacements.areDue) return -1;
    this.#turn = this.#turn === 0 ? 1 : 0;
    return place;
  }

  #countCrowdedOut(place: number): void {
    this.#crowdedOut += 1;
    this.#replacements.noteCrowdedOut();
    if (this.#tags[place] === this.#missingTag) this.#lessons.noteSameTag();
  }

  /** Whether the tag of a place's key is from before a lesson, so that the key cannot be found. */
  #isOutdated(place: number): boolean {
    const tag = this.#tags[place]!;
    if (this.#positions === undefined || tag === this.#missingTag) return false;
    return tag !== tagOf(this.#keys[place]!, this.#positions);
  }

  #placeOf(tag: number): number {
    const hash = hashOfTag(tag);
    const first = hash >>> this.#shift;
    const second = hash & this.#mask;
    // A key of the same tag would not be looked for in the other place.
    if (this.#tags[first] === tag || this.#keys[first] === NONE) return first;
    if (this.#tags[second] === tag || this.#keys[second] === NONE) return second;
    return this.#turn === 0 ? first : second;
  }

  /** Puts the key of the last miss into that place: the same text, in memory of its own. The caller sets its values. */
  keep(place: number, own: string): void {
    const other = this.#keys[place]!;
    this.#budget.chargeText(own, other);
    if (other !== NONE) this.#replaced(place, own, other);
    this.#put(place, own);
  }

  #replaced(place: number, own: string, other: string): void {
    this.#replacements.noteReplaced(own);
    if (this.#tags[place] !== this.#missingTag) return;
    this.#lessons.compare(own, other);
    if (this.#positions === this.#lessons.positions) return;
    this.#positions = this.#lessons.positions;
    this.#budget.chargePositions();
  }

  #put(place: number, own: string): void {
    if (place === this.#last) this.#lastKey = undefined;
    this.#keys[place] = own;
    this.#tags[place] = this.#missingTag;
  }

  /** Replaces the string in a place by another one of the same text. */
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
    else if (this.#crowdedOut - this.#lessons.sameTags > CROWDED_OUT_TO_GROW && this.#mayGrow) this.#grow();
    else if (this.#crowdedOut > MOST_CROWDED_OUT && !this.#lessons.hasLearned) this.#rest();
    else this.#tryLast(hits - this.#changes > REPEATS_TO_TRY_LAST);
    this.#callsLeft = this.#resting ? CALLS_OF_REST : CALLS_PER_TRIAL;
    this.#misses = 0;
    this.#crowdedOut = 0;
    this.#changes = 0;
    this.#lessons.beginTrial();
  }

  #rest(): void {
    this.#resting = true;
    this.#tryLast(false);
  }

  #tryLast(tries: boolean): void {
    const key = this.#keys[this.#last];
    this.#triesLast = tries;
    this.#lastKey = tries && key !== NONE ? key : undefined;
  }

  #wake(): void {
    const places = Math.max(FEWEST_PLACES, this.#keys.length);
    if (places > this.#keys.length && !this.#budget.canSparePlaces(places)) return;
    for (const key of this.#keys) this.#budget.chargeText(NONE, key);
    this.#restart(places);
    this.#lessons.renew();
  }

  /** Whether there are bytes for the new places, which exist beside the old ones for a moment. */
  get #mayGrow(): boolean {
    return this.#keys.length < MOST_PLACES && this.#budget.canSparePlaces(MOST_PLACES);
  }

  #restart(places: number): void {
    this.#resting = false;
    this.#last = 0;
    this.#tryLast(false);
    if (places === this.#keys.length) {
      this.#keys.fill(NONE);
      this.#tags.fill(0);
      return;
    }
    this.#budget.chargePlaces(places - this.#keys.length);
    this.#keys = new Array<string>(places).fill(NONE);
    this.#tags = new Int32Array(places);
    this.values = new Int32Array(this.#valuesPerPlace * places);
    this.#shift = Math.clz32(places) + 1;
    this.#mask = places - 1;
  }

  /** Forgets all keys. */
  clear(): void {
    if (this.#resting) return;
    for (const key of this.#keys) this.#budget.chargeText(NONE, key);
    this.#restart(this.#keys.length);
  }

  #grow(): void {
    const each = this.#valuesPerPlace;
    const keys = this.#keys;
    const values = this.values;
    this.#restart(MOST_PLACES);
    for (const [place, key] of keys.entries()) {
      if (key === NONE) continue;
      this.#missingTag = tagOf(key, this.#positions);
      const to = this.#placeOf(this.#missingTag);
      this.#budget.chargeText(NONE, this.#keys[to]!);
      this.#put(to, key);
      for (let i = 0; i < each; i += 1) this.values[to * each + i] = values[place * each + i]!;
    }
  }
}
