import type { Capacity } from "../local/capacity.ts";
import { RecentKeys } from "../local/recent-keys.ts";
import { KeyIndex } from "./key-index.ts";

/** A front cache takes bytes only if so many times as many are left. */
const SPARE_BYTES = 8;

/** A table that can become a part of another family. */
interface Member<Table extends Member<Table>> {
  join(family: Family<Table>): void;
}

/**
 * The tables of one scope whose lists have limits that count together (`countsName`), directly or through other lists.
 * They have one index: a key that is missing in one table is found in the others by the same look. A list with separate
 * counts is a family of its own.
 */
export class Family<Table extends Member<Table>> {
  readonly tables: Set<Table> = new Set();
  /** The `countsName` of each limit; empty under separate counts. */
  readonly names: Set<string> = new Set();
  readonly index: KeyIndex<Table>;
  readonly recent: RecentKeys;
  readonly #capacity: Capacity;
  #bytes = 0;

  constructor(capacity: Capacity) {
    this.#capacity = capacity;
    this.index = new KeyIndex((bytes) => this.charge(bytes));
    this.recent = new RecentKeys(1, (bytes) => this.#reserve(bytes));
  }

  /** Lists that count together with lists of another family have come. The other family ends. */
  absorb(other: Family<Table>): void {
    for (const table of other.tables) table.join(this);
    for (const name of other.names) this.names.add(name);
    other.end();
  }

  /** Gives the bytes of the index and of the cache back. */
  end(): void {
    this.charge(-this.#bytes);
  }

  /** A cache that is made between a peek and its take must not use the bytes that the peek found. */
  #reserve(bytes: number): boolean {
    if (SPARE_BYTES * bytes > this.#capacity.bytesLeft) return false;
    this.charge(bytes);
    return true;
  }

  charge(bytes: number): void {
    this.#bytes += bytes;
    this.#capacity.bytes += bytes;
  }
}
