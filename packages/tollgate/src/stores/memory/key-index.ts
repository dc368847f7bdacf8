import { CHUNK_BITS, CHUNK_MASK, type Chunk } from "./chunk.ts";

const FEWEST_ENTRIES = 16;
/** The entries of a whole page: a power of two. */
const MOST_ENTRIES = 2 ** 12;
const MOST_LOAD = 3 / 4;
/** More pages need more bits of a hash than it has. */
const DEEPEST = 16;

/** A free entry. Others are 6 bits of the hash, and 26 bits of the slot plus 1. */
const FREE = 0;
const SLOT_BITS = 26;
const SLOT_MASK = 2 ** SLOT_BITS - 1;
/** The shift that brings the 6 bits above those that number an entry of a page to the top. */
const TAG_SHIFT = 14;
/** Chunks beyond these have no slot number. */
const MOST_CHUNKS = 2 ** (SLOT_BITS - CHUNK_BITS) - 1;

const BYTES_PER_ENTRY = 4;
/** The objects of a page without its entries, and its element of the directory, as measured in V8. */
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
 * Finds the slots of a key by its hash: extendible hashing. The first bits of a hash choose a page through a directory,
 * the last bits an entry in it, where linear probing begins. A page that is full is split in two, so no call moves more
 * than one page, where a Map copies everything. A key has one slot in each table that counts it.
 *
 * Source: Fagin, Nievergelt, Pippenger and Strong, "Extendible hashing", 1979.
 */
export class KeyIndex<Table> {
  /** The chunks of all tables, by number: a slot is `number << CHUNK_BITS`, plus a position in the chunk. */
  readonly chunks: (Chunk<Table> | undefined)[] = [];
  /** Whether the last `find` that found no slot in its table met the key in another one. */
  foundElsewhere = false;
  /** How many keys it has, of all tables. */
  keys = 0;
  readonly #freeNumbers: number[] = [];
  readonly #charge: (bytes: number) => void;
  #bytes = 0;
  #directory: Page[] = [];
  /** The directory has 2 to this power of elements. */
  #depth = 0;

  constructor(charge: (bytes: number) => void) {
    this.#charge = charge;
    this.clear();
  }

  /** Whether another chunk can be numbered. */
  get hasNumbers(): boolean {
    return this.#freeNumbers.length > 0 || this.chunks.length < MOST_CHUNKS;
  }

  addChunk(chunk: Chunk<Table>): void {
    chunk.number = this.#freeNumbers.pop() ?? this.chunks.length;
    this.chunks[chunk.number] = chunk;
  }

  removeChunk({ number }: Chunk<Table>): void {
    this.chunks[number] = undefined;
    this.#freeNumbers.push(number);
  }

  /** The slot of a key in one table, or -1. */
  find(key: string, hash: number, table: Table): number {
    const { entries } = this.#pageOf(hash);
    const mask = entries.length - 1;
    const tag = hash << TAG_SHIFT;
    this.foundElsewhere = false;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const entry = entries[at]!;
      if (entry === FREE) return -1;
      if ((entry ^ tag) >>> SLOT_BITS !== 0) continue;
      const slot = (entry & SLOT_MASK) - 1;
      const chunk = this.chunks[slot >>> CHUNK_BITS]!;
      if (chunk.keys[slot & CHUNK_MASK] !== key) continue;
      if (chunk.table === table) return slot;
      this.foundElsewhere = true;
    }
  }

  /** The tables that have a key. */
  tablesOf(key: string, hash: number): Table[] {
    const { entries } = this.#pageOf(hash);
    const mask = entries.length - 1;
    const found: Table[] = [];
    for (let at = hash & mask; entries[at] !== FREE; at = (at + 1) & mask) {
      const slot = (entries[at]! & SLOT_MASK) - 1;
      const chunk = this.chunks[slot >>> CHUNK_BITS]!;
      if (chunk.keys[slot & CHUNK_MASK] === key) found.push(chunk.table);
    }
    return found;
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
    this.keys += 1;
  }

  /** A key has moved to another slot. */
  move(hash: number, from: number, to: number): void {
    const { entries } = this.#pageOf(hash);
    entries[entryOf(entries, hash, from)]! += to - from;
  }

  delete(hash: number, slot: number): void {
    const page = this.#pageOf(hash);
    this.#free(page.entries, entryOf(page.entries, hash, slot));
    page.count -= 1;
    this.keys -= 1;
    // Pages never shrink: they take little beside the rows that they once had, and go with the last key.
    if (this.keys === 0) this.clear();
  }

  clear(): void {
    this.#directory = [new Page(FEWEST_ENTRIES)];
    this.#depth = 0;
    this.keys = 0;
    this.#account(BYTES_PER_ENTRY * FEWEST_ENTRIES - this.#bytes);
  }

  #pageOf(hash: number): Page {
    // Shifting by 32 would shift by 0.
    return this.#directory[(hash >>> 1) >>> (31 - this.#depth)]!;
  }

  /** Moves the entries after a free one that are not where probing for them begins, so that probing finds them. */
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
    const slot = (entry & SLOT_MASK) - 1;
    return this.chunks[slot >>> CHUNK_BITS]!.hashes[slot & CHUNK_MASK]!;
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

/** The position of a slot's entry. */
function entryOf(entries: Int32Array, hash: number, slot: number): number {
  const mask = entries.length - 1;
  let at = hash & mask;
  while ((entries[at]! & SLOT_MASK) !== slot + 1) at = (at + 1) & mask;
  return at;
}
