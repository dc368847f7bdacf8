import type { LentFrom } from "../leases/places.ts";
import { ASK_WORD, EXTENSION_WORD, MOST_PLACES, NUMBER_WORD, PLACES_WORD } from "./layout.ts";
import type { LeasePlace, PlacedLease } from "./lease-place.ts";

const BITS = 15;
const RETIRED: number = 2 ** (2 * BITS);
/** A thread asks about the lease. */
const ASKING = 2 ** 30;

/** How many places a lease has and how many of them are free, as one word. Those of a retired one come back no more. */
export function wordOf(size: number, free: number, isRetired: boolean): number {
  return isRetired ? RETIRED + ((size - free) << BITS) : (size << BITS) + free;
}

function sizeOf(word: number): number {
  return (word >>> BITS) & MOST_PLACES;
}

function freeOf(word: number): number {
  return word & MOST_PLACES;
}

/**
 * A lease of places that the threads of a process lend together, as one thread has seen it. One word has its places and
 * the free ones, so threads change both by one swap. Its size only becomes smaller while the number is the same. A
 * thread that dies leaves the size as it is: the script counts its places until the lease is over.
 */
export class SharedPlacesLease implements LentFrom {
  readonly bornUs: number;
  readonly #place: LeasePlace;
  readonly #tag: number;
  readonly #facts: PlacedLease;

  constructor(place: LeasePlace, tag: number, facts: PlacedLease) {
    this.bornUs = facts.endsUs;
    this.#place = place;
    this.#tag = tag;
    this.#facts = facts;
  }

  /** Whether no other thread has closed it. */
  get isThere(): boolean {
    return this.#place.tag === this.#tag;
  }

  get isRetired(): boolean {
    return this.#word >= RETIRED;
  }

  get size(): number {
    return sizeOf(this.#word);
  }

  get free(): number {
    return freeOf(this.#word);
  }

  /** Which number of the process it has; 0 if it is gone. */
  get number(): number {
    return this.#place.left(NUMBER_WORD, this.#tag);
  }

  /** Whether no thread asks about it, and its number is certain. */
  get isSettled(): boolean {
    return this.#place.left(ASK_WORD, this.#tag) === 0;
  }

  get lastUs(): number {
    return this.#facts.lastUs + this.#extendedUs;
  }

  lastsAt(us: number, wallUs: number): boolean {
    return this.restUs(us, wallUs) > 0;
  }

  /** Microseconds until its end, by the clock that is closer to it. */
  restUs(us: number, wallUs: number): number {
    if (!this.isThere) return 0;
    return Math.min(this.#facts.lastUs - us, this.#facts.lastWallUs - wallUs) + this.#extendedUs;
  }

  /** Gives so many free places to a call, if there are as many. */
  lend(count: number): boolean {
    return this.#change((word) => (freeOf(word) < count ? undefined : word - count));
  }

  takeBack(_limit: number, count: number): void {
    this.#change((word) => (word >= RETIRED ? word - (count << BITS) : word + count));
  }

  /** Gives up so many free places, or fewer. @returns how many. */
  shrink(count: number): number {
    let given = 0;
    this.#change((word) => {
      given = Math.min(count, freeOf(word));
      return word - (given << BITS) - given;
    });
    return given;
  }

  /** Gives up all free places, and those that calls give back. */
  retire(): void {
    this.#change((word) => (word >= RETIRED ? word : wordOf(sizeOf(word), freeOf(word), true)));
  }

  /**
   * A lease with another number has replaced it, which has more places. The size comes before the number: a thread that
   * reads both in the other order never reports too few of the new one. False if it is gone.
   */
  grow(number: number, free: number, held: number, mayLend: boolean): boolean {
    const before = this.number;
    const isGrown = this.#change((word) => {
      return wordOf(sizeOf(word) + free + held, freeOf(word) + free, word >= RETIRED && !mayLend);
    });
    return isGrown && this.#place.replace(NUMBER_WORD, this.#tag, before, number);
  }

  renumber(number: number): void {
    this.#place.replace(NUMBER_WORD, this.#tag, this.number, number);
  }

  /** Begins to ask about it. @returns 0, or the other number that it may have; `undefined` if a thread asks already. */
  lock(): number | undefined {
    const also = this.#place.left(ASK_WORD, this.#tag);
    const mayAsk = also !== ASKING && this.number !== 0;
    return mayAsk && this.#place.replace(ASK_WORD, this.#tag, also, ASKING) ? also : undefined;
  }

  /** Ends that. `also` is the other number that it may have, or 0. */
  unlock(also: number): void {
    this.#place.replace(ASK_WORD, this.#tag, ASKING, also);
  }

  /** Lasts until a moment, if that is later. */
  extend(lastUs: number, lastWallUs: number): void {
    const { lastUs: us, lastWallUs: wallUs } = this.#facts;
    const ms = Math.floor(Math.min(lastUs - us, lastWallUs - wallUs) / 1_000);
    for (;;) {
      const before = this.#place.left(EXTENSION_WORD, this.#tag);
      if (ms <= before || !this.isThere) return;
      if (this.#place.replace(EXTENSION_WORD, this.#tag, before, ms)) return;
    }
  }

  /** Forgets it: no call has a place of it any more. */
  close(): void {
    this.#place.close(this.#tag);
  }

  get #word(): number {
    return this.#place.left(PLACES_WORD, this.#tag);
  }

  get #extendedUs(): number {
    return 1_000 * this.#place.left(EXTENSION_WORD, this.#tag);
  }

  /** Replaces the word, whatever other threads do. False if the lease is gone, or without a new word. */
  #change(change: (word: number) => number | undefined): boolean {
    for (;;) {
      const word = this.#word;
      const changed = change(word);
      if (changed === undefined || !this.isThere) return false;
      if (changed === word || this.#place.replace(PLACES_WORD, this.#tag, word, changed)) return true;
    }
  }
}
