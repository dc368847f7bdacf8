import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import { REACH_US } from "../../algorithms/ticks.ts";
import type { KeyRef } from "../../core/key-ref.ts";
import type { Plan } from "../../core/plan.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Capacity } from "../local/capacity.ts";
import type { KeyTexts } from "../local/key-texts.ts";
import type { RecentKeys } from "../local/recent-keys.ts";
import { CHUNK_BITS, CHUNK_MASK, type Chunk } from "./chunk.ts";
import type { Family } from "./family.ts";
import type { KeyIndex } from "./key-index.ts";
import { OverflowBuckets } from "./overflow-buckets.ts";
import { RowChunks } from "./row-chunks.ts";
import type { ScopeClocks } from "./scope-clocks.ts";
import { type SweptTable, TableSweep } from "./table-sweep.ts";

/** A new key counts as this many calls, so that a pass over many new keys takes a small part of a sweep's interval. */
const CALLS_PER_NEW_KEY = 4;
const NO_CELLS = new Float64Array(0);

/** What a table needs of its store. */
export interface RowTableStore {
  readonly capacity: Capacity;
  readonly texts: KeyTexts;
  /** The least time between the beginnings of two passes of a table's sweep. */
  readonly sweepIntervalUs: number;
}

/** What a table needs of its scope. */
export interface RowScope {
  readonly clocks: ScopeClocks;
  /** Lets the table go, which is empty. */
  remove(table: RowTable): void;
}

/**
 * The rows of one list of limits in one scope: for each key its cells, in dense slots. Removing a row moves the last
 * one into its slot. The list is compiled for an origin near the clocks' time.
 */
export class RowTable implements SweptTable {
  /** The bytes of a list before its first key, and of the limiter's space for it, as measured in V8. */
  static readonly FIXED_BYTES = 7_000;
  readonly plan: Plan;
  readonly scope: RowScope;
  readonly clocks: ScopeClocks;
  readonly capacity: Capacity;
  readonly sweep: TableSweep;
  readonly width: number;
  /** Replaced when the origin moves. */
  compiled: CompiledPlan;
  family: Family<RowTable>;
  /** Whether the store has dropped the table, or has no bytes for it. Spaces that refer to it ask for another one. */
  retired = false;
  /** The cells of the chunk with the row that was located last, and its keys. */
  cells: Float64Array = NO_CELLS;
  #keys: readonly string[] = [];
  #index: KeyIndex<RowTable>;
  #recent: RecentKeys;
  readonly #store: RowTableStore;
  readonly #rows: RowChunks<RowTable>;
  readonly buckets: OverflowBuckets;
  #bytes = 0;
  /** The kernels are exact between these moments. A time beyond them moves the origin. */
  #earliestUs = 0;
  #latestUs = 0;
  #originUs = 0;

  constructor(plan: Plan, now: TimeCell, scope: RowScope, family: Family<RowTable>, store: RowTableStore) {
    this.plan = plan;
    this.scope = scope;
    this.clocks = scope.clocks;
    this.capacity = store.capacity;
    this.#store = store;
    this.compiled = this.#compileAt(now[0]!);
    this.width = this.compiled.width;
    this.#rows = new RowChunks(this, this.width);
    this.family = family;
    this.buckets = new OverflowBuckets(this.width, this.capacity);
    this.#index = family.index;
    this.#recent = family.recent;
    family.tables.add(this);
    this.sweep = new TableSweep(this, store.sweepIntervalUs, now[0]!);
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Where a key's cells begin; -1 if it has no row here. Then `isElsewhere` says whether a relative has one. */
  locate(key: string): number {
    const place = this.#recent.find(key);
    if (place < 0) return this.#locateAnother(key);
    const at = this.#recent.values[place]! & CHUNK_MASK;
    // No two rows of the table have one key, so this row of the selected chunk is the key's.
    return this.#keys[at] === this.#recent.keys[place] ? at * this.width : this.#locateElsewhere(key, place);
  }

  /** Finds a recent key that is not in the selected chunk, or has moved. */
  #locateElsewhere(key: string, place: number): number {
    const slot = this.#recent.values[place]!;
    const chunk = this.#index.chunks[slot >>> CHUNK_BITS];
    if (chunk?.table === this && chunk.keys[slot & CHUNK_MASK] === this.#recent.keys[place]) return this.#select(slot);
    const moved = this.#slotOf(this.#store.texts.of(key));
    if (moved < 0) return -1;
    this.#recent.keys[place] = this.#keyAt(moved);
    this.#recent.values[place] = moved;
    return this.#select(moved);
  }

  /** Finds a key that is not among the recent ones. */
  #locateAnother(key: string): number {
    const text = this.#store.texts.of(key);
    const slot = this.#slotOf(text);
    if (slot < 0) return -1;
    // A digest is found by hashing the whole key.
    const place = text === key ? this.#recent.placeForMissing() : -1;
    if (place >= 0) {
      this.#recent.keep(place, this.#keyAt(slot));
      this.#recent.values[place] = slot;
    }
    return this.#select(slot);
  }

  /** Works like `locate`, for the text of a key that does not become a recent one. */
  locateOnce(text: string): number {
    const slot = this.#slotOf(text);
    return slot < 0 ? -1 : this.#select(slot);
  }

  /** Works like `locate`, for a key reference, which it brings up to date. */
  locateRef(ref: KeyRef): number {
    if (ref.table === this && ref.slot >= 0) {
      const chunk = this.#index.chunks[ref.slot >>> CHUNK_BITS];
      if (chunk?.table === this && chunk.keys[ref.slot & CHUNK_MASK] === ref.text) return this.#select(ref.slot);
    }
    ref.table = this;
    ref.slot = this.#slotOf(this.#store.texts.of(ref.key));
    if (ref.slot < 0) return -1;
    ref.text = this.#keyAt(ref.slot);
    return this.#select(ref.slot);
  }

  /** Whether the last look for a key that is not here met it in another table of the family. */
  get isElsewhere(): boolean {
    return this.#index.foundElsewhere;
  }

  /** Makes a slot's chunk the one where keys are located, and returns where the slot's cells begin in it. */
  #select(slot: number): number {
    const { keys, cells } = this.#chunkOf(slot);
    this.#keys = keys;
    this.cells = cells;
    return (slot & CHUNK_MASK) * this.width;
  }

  /** The chunk that is selected may go, or get other arrays. */
  #deselect(): void {
    this.#keys = [];
    this.cells = NO_CELLS;
  }

  #slotOf(text: string): number {
    return this.#index.find(text, this.#store.texts.hashOf(text), this);
  }

  #chunkOf(slot: number): Chunk<RowTable> {
    return this.#index.chunks[slot >>> CHUNK_BITS]!;
  }

  /** The very string that the table keeps. */
  #keyAt(slot: number): string {
    return this.#chunkOf(slot).keys[slot & CHUNK_MASK]!;
  }

  /** Whether the store has capacity for another row, of a key with this text. */
  hasCapacityFor(text: string): boolean {
    const { size, maxKeys, bytesLeft } = this.capacity;
    return size < maxKeys && RowChunks.bytesOf(text) + this.bytesForNext(text) <= bytesLeft;
  }

  /** What the next row takes beside its text. */
  bytesForNext(text: string): number {
    if (this.retired) return Number.POSITIVE_INFINITY;
    return this.#index.bytesForNext(this.#store.texts.hashOf(text)) + this.#rows.bytesForNext(this.#index);
  }

  /** Adds a row for a text that has none, with the first cells of `source`. The store has to have the capacity. */
  insert(text: string, source: Float64Array): void {
    this.#rows.add(this.#index, text, this.#store.texts.hashOf(text), source);
    this.capacity.size += 1;
    this.capacity.callsUntilSweep -= CALLS_PER_NEW_KEY;
    this.#deselect();
  }

  drop(text: string): void {
    const slot = this.#slotOf(text);
    if (slot < 0) return;
    this.#rows.remove(this.#index, { chunk: this.#chunkOf(slot), at: slot & CHUNK_MASK });
    this.capacity.size -= 1;
  }

  /** Removes all rows and buckets: at once, unless the index has keys of other tables. */
  clear(): void {
    this.capacity.size -= this.size;
    if (this.#index.keys === this.size) {
      this.#index.clear();
      this.#rows.clear();
    }
    while (this.size > 0) this.#rows.remove(this.#index, this.#rows.positionOf(this.size - 1));
    this.buckets.drop();
    this.#rows.shrink(this.#index);
    this.#deselect();
    this.sweep.cancel();
  }

  /** The texts of all rows. */
  texts(): string[] {
    return this.#rows.texts();
  }

  /** Removes the row in one of the dense slots if it is idle at the scope's time. */
  removeIfIdle(slot: number): void {
    const position = this.#rows.positionOf(slot);
    const { chunk, at } = position;
    if (!this.compiled.isIdle(chunk.cells, at * this.width, this.clocks.now)) return;
    this.#rows.remove(this.#index, position);
    this.capacity.size -= 1;
  }

  /** Gives memory back after a pass of the sweep. */
  endPass(): void {
    this.buckets.dropIfIdle(this.compiled, this.clocks.now);
    this.#rows.shrink(this.#index);
    this.#deselect();
  }

  charge(bytes: number): void {
    this.#bytes += bytes;
    this.capacity.bytes += bytes;
  }

  /** The table becomes a part of a family, with its rows. */
  join(family: Family<RowTable>): void {
    const { index } = family;
    this.family = family;
    this.#index = index;
    this.#recent = family.recent;
    family.tables.add(this);
    this.#rows.join(index);
  }

  retire(): void {
    this.#rows.shrink(this.#index);
    this.retired = true;
    // A retired table serves no call.
    this.#earliestUs = Number.POSITIVE_INFINITY;
    this.charge(-this.#bytes);
  }

  /** Whether it has neither rows nor buckets. */
  get isEmpty(): boolean {
    return this.size === 0 && this.buckets.cells === undefined;
  }

  /** Whether no row and no bucket counts any more. */
  isIdle(now: TimeCell): boolean {
    if (this.size === 0) this.buckets.dropIfIdle(this.compiled, now);
    return this.isEmpty;
  }

  /** The kernels for a plan of this table's id. Its limits may have another order and other modes. */
  compiledFor(plan: Plan): CompiledPlan {
    return plan === this.plan ? this.compiled : new CompiledPlan(plan, this.#originUs);
  }

  /** Whether the kernels are exact at this moment. */
  reaches(now: TimeCell): boolean {
    return now[0]! >= this.#earliestUs && now[0]! <= this.#latestUs;
  }

  /** Compiles the kernels for another origin and restates every cell, if a clock has jumped by decades. */
  reach(now: TimeCell): void {
    if (this.retired || this.reaches(now)) return;
    const before = this.compiled;
    this.compiled = this.#compileAt(now[0]!);
    this.#rows.rebase(this.compiled, before);
    this.buckets.rebase(this.compiled, before);
  }

  #compileAt(originUs: number): CompiledPlan {
    this.#originUs = originUs;
    this.#earliestUs = originUs - REACH_US;
    this.#latestUs = originUs + REACH_US;
    return new CompiledPlan(this.plan, originUs);
  }
}
