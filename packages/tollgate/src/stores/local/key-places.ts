/** Parts of the index: a hash names one by its first bits. No call copies more than one part. */
const PARTS = 256;
const SHIFT_TO_PART = 24;

/** An entry is two words: the hash of a key, and the number of a table. */
const WORDS = 2;
const NUMBER = 1;
/** The number of a free entry. */
const FREE = 0;
/** A table that has cleared its keys gets another number. Tables so old that their number comes again do not exist. */
const MOST_NUMBERS = 2 ** 31 - 1;

const FEWEST_ENTRIES = 4;
const MOST_LOAD = 3 / 4;
/** A part below this load shrinks. */
const LEAST_LOAD = 1 / 8;
/** A part is rebuilt for a load of at most a half, so that it neither grows nor shrinks again soon. */
const ENTRIES_PER_KEY = 2;

const BYTES_PER_ENTRY = WORDS * Int32Array.BYTES_PER_ELEMENT;
/** The objects of a part without its entries, as measured in V8. An index without parts is small beside its tables. */
const BYTES_PER_PART = 240;

interface Part {
  entries: Int32Array;
  count: number;
}

/**
 * Says which of many tables have a key: a multimap from hashes to tables, by open addressing. It knows every key of its
 * tables. It may name a table that does not have the key, so the table is asked. Hashes are under a secret, so clients
 * cannot crowd a part.
 */
export class KeyPlaces<Table> {
  readonly #charge: (bytes: number) => void;
  readonly #tables = new Map<number, Table>();
  readonly #parts = new Array<Part | undefined>(PARTS).fill(undefined);
  #lastNumber = 0;

  constructor(charge: (bytes: number) => void) {
    this.#charge = charge;
  }

  /** @returns a number for the keys of a table. */
  enter(table: Table): number {
    do this.#lastNumber = this.#lastNumber === MOST_NUMBERS ? 1 : this.#lastNumber + 1;
    while (this.#tables.has(this.#lastNumber));
    this.#tables.set(this.#lastNumber, table);
    return this.#lastNumber;
  }

  /** All keys of a number are gone. Their entries go when they are in the way: there may be many. */
  leave(number: number): void {
    this.#tables.delete(number);
    if (this.#tables.size > 0) return;
    for (const [i, part] of this.#parts.entries()) if (part !== undefined) this.#remove(i, part);
  }

  /** The tables that may have a key of this hash. Two keys of one hash name their table twice. */
  tablesOf(hash: number): readonly Table[] {
    const part = this.#parts[hash >>> SHIFT_TO_PART];
    if (part === undefined) return [];
    const { entries } = part;
    const mask = entries.length - 1;
    const found: Table[] = [];
    for (let at = firstOf(hash, mask); entries[at + NUMBER] !== FREE; at = (at + WORDS) & mask) {
      if (entries[at] !== hash) continue;
      const table = this.#tables.get(entries[at + NUMBER]!);
      if (table !== undefined) {
        found.push(table);
        continue;
      }
      this.#rebuild(part);
      return this.tablesOf(hash);
    }
    return found;
  }

  /** What the next key takes, if it has this hash: entries are freed only after they have been copied. */
  bytesForNext(hash: number): number {
    const part = this.#parts[hash >>> SHIFT_TO_PART];
    if (part === undefined) return BYTES_PER_PART + BYTES_PER_ENTRY * FEWEST_ENTRIES;
    return isFull(part) ? 2 * Int32Array.BYTES_PER_ELEMENT * part.entries.length : 0;
  }

  add(hash: number, number: number): void {
    const part = this.#parts[hash >>> SHIFT_TO_PART] ?? this.#addPart(hash >>> SHIFT_TO_PART);
    if (isFull(part)) this.#rebuild(part);
    put(part, hash, number);
  }

  /** Removes one entry of this hash and number. */
  delete(hash: number, number: number): void {
    const index = hash >>> SHIFT_TO_PART;
    const part = this.#parts[index]!;
    const { entries } = part;
    const mask = entries.length - 1;
    let at = firstOf(hash, mask);
    while (entries[at] !== hash || entries[at + NUMBER] !== number) at = (at + WORDS) & mask;
    free(entries, at);
    part.count -= 1;
    if (part.count === 0) this.#remove(index, part);
    else if (WORDS * part.count < LEAST_LOAD * entries.length) this.#rebuild(part);
  }

  #addPart(index: number): Part {
    const part = { entries: new Int32Array(WORDS * FEWEST_ENTRIES), count: 0 };
    this.#parts[index] = part;
    this.#charge(BYTES_PER_PART + part.entries.byteLength);
    return part;
  }

  #remove(index: number, { entries }: Part): void {
    this.#parts[index] = undefined;
    this.#charge(-BYTES_PER_PART - entries.byteLength);
  }

  /** Leaves out the entries of numbers that are gone, and takes the size that the others need. */
  #rebuild(part: Part): void {
    const { entries } = part;
    const live = this.#liveIn(entries);
    let length = FEWEST_ENTRIES;
    while (length < ENTRIES_PER_KEY * live.length) length *= 2;
    part.entries = new Int32Array(WORDS * length);
    part.count = 0;
    for (const at of live) put(part, entries[at]!, entries[at + NUMBER]!);
    this.#charge(part.entries.byteLength - entries.byteLength);
  }

  #liveIn(entries: Int32Array): number[] {
    const live: number[] = [];
    for (let at = 0; at < entries.length; at += WORDS) if (this.#tables.has(entries[at + NUMBER]!)) live.push(at);
    return live;
  }
}

/** The keys of one table in an index. */
export class TablePlaces<Table> {
  readonly #places: KeyPlaces<Table>;
  readonly #table: Table;
  /** 0 while there are no keys. */
  #number = 0;

  constructor(places: KeyPlaces<Table>, table: Table) {
    this.#places = places;
    this.#table = table;
  }

  bytesForNext(hash: number): number {
    return this.#places.bytesForNext(hash);
  }

  add(hash: number): void {
    if (this.#number === 0) this.#number = this.#places.enter(this.#table);
    this.#places.add(hash, this.#number);
  }

  delete(hash: number): void {
    this.#places.delete(hash, this.#number);
  }

  clear(): void {
    this.#places.leave(this.#number);
    this.#number = 0;
  }
}

function isFull({ count, entries }: Part): boolean {
  return WORDS * count >= MOST_LOAD * entries.length;
}

/** The place where probing for a hash begins. */
function firstOf(hash: number, mask: number): number {
  return (WORDS * hash) & mask;
}

function put(part: Part, hash: number, number: number): void {
  const { entries } = part;
  const mask = entries.length - 1;
  let at = firstOf(hash, mask);
  while (entries[at + NUMBER] !== FREE) at = (at + WORDS) & mask;
  entries[at] = hash;
  entries[at + NUMBER] = number;
  part.count += 1;
}

/** Moves the entries after a free place that are not at theirs, so that probing finds them. */
function free(entries: Int32Array, place: number): void {
  const mask = entries.length - 1;
  let gap = place;
  for (let at = (place + WORDS) & mask; entries[at + NUMBER] !== FREE; at = (at + WORDS) & mask) {
    const first = firstOf(entries[at]!, mask);
    if (((at - first) & mask) < ((at - gap) & mask)) continue;
    entries[gap] = entries[at]!;
    entries[gap + NUMBER] = entries[at + NUMBER]!;
    gap = at;
  }
  entries[gap + NUMBER] = FREE;
}
