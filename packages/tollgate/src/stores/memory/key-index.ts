import type { KeySlots } from "./key-slots.ts";

const FEWEST_ENTRIES = 16;
/** The entries of a whole page: a power of two. */
const MOST_ENTRIES = 2 ** 12;
const MOST_LOAD = 3 / 4;
/** A page below this load shrinks, or two of them become one. */
const LEAST_LOAD = 1 / 8;
/** More pages need more bits of a hash than it has. */
const DEEPEST = 16;

/** A free entry. Others are 8 bits of the hash, and 24 bits of the slot plus 1. */
const FREE = 0;
const SLOT_BITS = 24;
const SLOT_MASK = 2 ** SLOT_BITS - 1;
/** The shift that brings the 8 bits above those that number a place in a page to the top. */
const TAG_SHIFT = 12;

const BYTES_PER_ENTRY = 4;
/** The objects of a page without its entries, and its place in the directory, as measured in V8. */
const BYTES_PER_PAGE = 300;

/** Entries of keys whose hashes begin with the same bits. */
class Page {
  entries: Int32Array;
  count = 0;
  /** How many bits of the hash the keys have in common. */
  depth = 0;

  constructor(entries: number) {
    this.entries = new Int32Array(entries);
  }
}

/**
 * Finds the slot of a key by its hash: extendible hashing. The first bits of a hash choose a page through a directory,
 * the last bits a place in it, where linear probing begins. A page that is full is split in two, so no call moves more
 * than one page, where a Map copies everything.
 *
 * Source: Fagin, Nievergelt, Pippenger and Strong, "Extendible hashing", 1979.
 */
export class KeyIndex {
  readonly #slots: KeySlots;
  readonly #charge: (bytes: number) => void;
  #bytes = 0;
  #directory: Page[] = [];
  /** The directory has 2 to this power of places. */
  #depth = 0;

  constructor(slots: KeySlots, charge: (bytes: number) => void) {
    this.#slots = slots;
    this.#charge = charge;
    this.clear();
  }

  /** The slot of a key, or -1. */
  find(key: string, hash: number): number {
    const { entries } = this.#pageOf(hash);
    const mask = entries.length - 1;
    const tag = hash << TAG_SHIFT;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const entry = entries[at]!;
      if (entry === FREE) return -1;
      if ((entry ^ tag) >>> SLOT_BITS !== 0) continue;
      const slot = (entry & SLOT_MASK) - 1;
      if (this.#slots.keyAt(slot) === key) return slot;
    }
  }

  /** What the next key takes, if it has this hash: entries are freed only after they have been copied. */
  bytesForNext(hash: number): number {
    const page = this.#pageOf(hash);
    return isFull(page) ? BYTES_PER_PAGE + 2 * BYTES_PER_ENTRY * page.entries.length : 0;
  }

  add(hash: number, slot: number): void {
    let page = this.#pageOf(hash);
    while (isFull(page)) {
      if (page.entries.length < MOST_ENTRIES || page.depth === DEEPEST) this.#resize(page, 2 * page.entries.length);
      else this.#split(page, hash);
      page = this.#pageOf(hash);
    }
    put(page, hash, slot);
  }

  /** A key has moved to another slot. */
  move(hash: number, from: number, to: number): void {
    const { entries } = this.#pageOf(hash);
    entries[placeOf(entries, hash, from)]! += to - from;
  }

  delete(hash: number, slot: number): void {
    const page = this.#pageOf(hash);
    this.#free(page.entries, placeOf(page.entries, hash, slot));
    page.count -= 1;
    const { length } = page.entries;
    if (page.count >= LEAST_LOAD * length || length === FEWEST_ENTRIES) return;
    if (page.depth > 0) this.#merge(page, hash);
    else this.#resize(page, length / 2);
  }

  clear(): void {
    this.#directory = [new Page(FEWEST_ENTRIES)];
    this.#depth = 0;
    this.#account(BYTES_PER_ENTRY * FEWEST_ENTRIES - this.#bytes);
  }

  #pageOf(hash: number): Page {
    // Shifting by 32 would shift by 0.
    return this.#directory[(hash >>> 1) >>> (31 - this.#depth)]!;
  }

  /** Moves the entries after a free place that are not at theirs, so that probing finds them. */
  #free(entries: Int32Array, place: number): void {
    const mask = entries.length - 1;
    let free = place;
    for (let at = (place + 1) & mask; entries[at] !== FREE; at = (at + 1) & mask) {
      const first = this.#hashOf(entries[at]!) & mask;
      if (((at - first) & mask) < ((at - free) & mask)) continue;
      entries[free] = entries[at]!;
      free = at;
    }
    entries[free] = FREE;
  }

  #hashOf(entry: number): number {
    return this.#slots.hashAt((entry & SLOT_MASK) - 1);
  }

  #resize(page: Page, length: number): void {
    const { entries } = page;
    page.entries = new Int32Array(length);
    page.count = 0;
    this.#account(BYTES_PER_ENTRY * (length - entries.length));
    this.#putAll(entries);
  }

  /** Puts entries into the pages that the directory has for them. */
  #putAll(entries: Int32Array): void {
    for (const entry of entries) {
      if (entry === FREE) continue;
      const hash = this.#hashOf(entry);
      put(this.#pageOf(hash), hash, (entry & SLOT_MASK) - 1);
    }
  }

  /** Moves the keys of a page whose next bit is 1 to a new page. */
  #split(page: Page, hash: number): void {
    if (page.depth === this.#depth) {
      this.#directory = this.#directory.flatMap((each) => [each, each]);
      this.#depth += 1;
    }
    page.depth += 1;
    const sibling = new Page(page.entries.length);
    sibling.depth = page.depth;
    this.#account(BYTES_PER_PAGE + BYTES_PER_ENTRY * sibling.entries.length);
    this.#assign(sibling, firstBits(hash, page.depth) | 1);
    this.#resize(page, page.entries.length);
  }

  /** Merges a page with the other half of the one from which it was split, if there are few keys in both. */
  #merge(page: Page, hash: number): void {
    const bits = firstBits(hash, page.depth);
    const sibling = this.#directory[(bits ^ 1) << (this.#depth - page.depth)]!;
    const most = 2 * LEAST_LOAD * Math.min(page.entries.length, sibling.entries.length);
    if (sibling.depth !== page.depth || page.count + sibling.count > most) return;
    this.#assign(page, bits ^ 1);
    page.depth -= 1;
    if (page.depth === 0) {
      this.#directory = [page];
      this.#depth = 0;
    }
    this.#account(-BYTES_PER_PAGE - BYTES_PER_ENTRY * sibling.entries.length);
    this.#putAll(sibling.entries);
  }

  /** Makes the directory point to a page for all hashes with these first bits. */
  #assign(page: Page, bits: number): void {
    const shift = this.#depth - page.depth;
    this.#directory.fill(page, bits << shift, (bits + 1) << shift);
  }

  #account(bytes: number): void {
    this.#bytes += bytes;
    this.#charge(bytes);
  }
}

function isFull({ count, entries }: Page): boolean {
  return count >= MOST_LOAD * entries.length;
}

/** The first bits of a hash as a number; there is at least one. */
function firstBits(hash: number, count: number): number {
  return hash >>> (32 - count);
}

function put(page: Page, hash: number, slot: number): void {
  const { entries } = page;
  const mask = entries.length - 1;
  let at = hash & mask;
  while (entries[at] !== FREE) at = (at + 1) & mask;
  entries[at] = ((hash << TAG_SHIFT) & ~SLOT_MASK) | (slot + 1);
  page.count += 1;
}

/** The place of a slot's entry. */
function placeOf(entries: Int32Array, hash: number, slot: number): number {
  const mask = entries.length - 1;
  let at = hash & mask;
  while ((entries[at]! & SLOT_MASK) !== slot + 1) at = (at + 1) & mask;
  return at;
}
