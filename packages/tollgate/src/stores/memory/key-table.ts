import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Clock } from "../../core/clock.ts";
import type { KeyRef } from "../../core/key-ref.ts";
import type { Plan } from "../../core/plan.ts";
import { ownCopy } from "../../core/text-memory.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Capacity } from "../local/capacity.ts";
import type { KeyTexts } from "../local/key-texts.ts";
import { PlanTable } from "../local/plan-table.ts";
import { RecentKeys } from "../local/recent-keys.ts";
import type { StoredKey, TableKey } from "../local/stored-key.ts";
import { KeyIndex } from "./key-index.ts";
import { KeySlots, NO_KEYS } from "./key-slots.ts";
import { type SweptTable, TableSweep } from "./table-sweep.ts";

const NO_SLOT = -1;

/** What the tables of one store have in common. */
export interface KeyTableStore {
  readonly capacity: Capacity;
  readonly texts: KeyTexts;
  /** The hash of a key's text. */
  hashOf(text: string): number;
  /** The least time between the beginnings of two passes of a table's sweep, and between two notifications. */
  readonly sweepIntervalUs: number;
  /** Drops idle keys at the time of a call, which comes from `clock` if that is given. */
  reclaim(now: TimeCell, clock: Clock | undefined): void;
}

/** The keys and cells of one plan: slots, an index from key to slot, and a cache of recent keys before it. */
export class KeyTable extends PlanTable implements SweptTable {
  cells: Float64Array = NO_KEYS.cells;
  /** The number of the chunk with the key that was located last, and its keys. `cells` are its cells. */
  #chunk = NO_SLOT;
  #keys: readonly string[] = NO_KEYS.keys;
  readonly #mask: number;
  readonly width: number;
  readonly sweep: TableSweep;
  readonly #keyTableStore: KeyTableStore;
  readonly #slots: KeySlots;
  readonly #index: KeyIndex;
  readonly #recent: RecentKeys;
  /** The text of the new key that `insert` is about to add, its hash and its bytes. */
  #newText = "";
  #newHash = 0;
  #newBytes = 0;

  constructor(plan: Plan, now: TimeCell, keyTableStore: KeyTableStore) {
    super(plan, now, keyTableStore.capacity);
    this.width = this.compiled.width;
    this.#keyTableStore = keyTableStore;
    const charge = (bytes: number) => this.charge(bytes);
    this.#slots = new KeySlots(this.width, charge, (cells, base, from) => this.compiled.rebase(cells, base, from));
    this.#mask = this.#slots.mask;
    this.#index = new KeyIndex(this.#slots, charge);
    this.#recent = new RecentKeys(1, this);
    this.sweep = new TableSweep(this, keyTableStore.sweepIntervalUs, now[0]!);
  }

  get size(): number {
    return this.#slots.size;
  }

  /** Whether it has no keys and no overflow buckets. */
  get isEmpty(): boolean {
    return this.size === 0 && !this.holdsOverflow;
  }

  locate(key: string): number {
    const place = this.#recent.find(key);
    if (place < 0) return this.#locateAnother(key);
    const at = this.#recent.values[place]! & this.#mask;
    // The same string object: the key has not moved, and its chunk is selected.
    return this.#keys[at] === this.#recent.at(place) ? at * this.width : this.#locateElsewhere(key, place);
  }

  /** Finds a recent key that is not in the selected chunk, or has moved. */
  #locateElsewhere(key: string, place: number): number {
    const at = this.#select(this.#recent.values[place]!);
    if (this.#keys[at] === this.#recent.at(place)) return at * this.width;
    const slot = this.#slotOfText(key);
    if (slot < 0) return -1;
    this.#recent.replace(place, this.#slots.keyAt(slot));
    this.#recent.values[place] = slot;
    return this.#select(slot) * this.width;
  }

  /** Makes the chunk of a slot the one where keys are located, and returns the slot's index there. */
  #select(slot: number): number {
    if (slot >>> this.#slots.shift !== this.#chunk) this.#selectChunk(slot);
    return slot & this.#mask;
  }

  /** Selects none for `NO_SLOT`: when the chunk may go, or have other arrays. */
  #selectChunk(slot: number): void {
    const { keys, cells } = this.#slots.knownChunkOf(slot);
    this.#chunk = slot >>> this.#slots.shift;
    this.#keys = keys;
    this.cells = cells;
  }

  /** Finds a key that is not among the recent ones. */
  #locateAnother(key: string): number {
    const text = this.#keyTableStore.texts.of(key);
    const slot = this.#slotOfText(text);
    if (slot < 0) return -1;
    // A digest is found by hashing the whole key.
    const place = text === key ? this.#recent.placeForMissing() : -1;
    if (place >= 0) {
      this.#recent.keep(place, this.#slots.keyAt(slot));
      this.#recent.values[place] = slot;
    }
    return this.#select(slot) * this.width;
  }

  locateOnce(key: TableKey): number {
    const slot = this.#slotOf(key);
    return slot < 0 ? -1 : this.#select(slot) * this.width;
  }

  override locateRef(ref: KeyRef): number {
    if (ref.table !== this || ref.slot < 0) return this.#findRef(ref);
    const at = this.#select(ref.slot);
    return this.#keys[at] === ref.text ? at * this.width : this.#findRef(ref);
  }

  #findRef(ref: KeyRef): number {
    ref.table = this;
    ref.slot = this.#slotOf(ref.key);
    if (ref.slot < 0) return -1;
    ref.text = this.#slots.keyAt(ref.slot);
    return this.#select(ref.slot) * this.width;
  }

  /** The slot of a key, or -1. */
  #slotOf(key: TableKey): number {
    return this.#slotOfText(this.#textOf(key));
  }

  #textOf(key: TableKey): string {
    return typeof key === "string" ? this.#keyTableStore.texts.of(key) : key.text;
  }

  #slotOfText(text: string): number {
    return this.#index.find(text, this.#keyTableStore.hashOf(text));
  }

  findSlot(key: TableKey, now: TimeCell): number {
    const text = this.#textOf(key);
    this.#newText = text;
    this.#newHash = this.#keyTableStore.hashOf(text);
    this.#newBytes = KeySlots.bytesOf(text);
    return this.#fitsNew() || this.#reclaimFor(now) ? this.size : -1;
  }

  insert(_slot: number, _key: TableKey, source: Float64Array): void {
    const bytesLeft = this.capacity.bytesLeft - this.#newBytes - this.#bytesForIndexes;
    this.#slots.add(ownCopy(this.#newText), this.#newBytes, this.#newHash, source, bytesLeft);
    this.#index.add(this.#newHash, this.size - 1);
    this.places?.add(this.#newHash);
    this.#selectChunk(NO_SLOT);
    this.capacity.size += 1;
  }

  storedKeys(): StoredKey[] {
    return Array.from({ length: this.size }, (_, slot) => ({ text: this.#slots.keyAt(slot), low: 0, high: 0 }));
  }

  drop(key: TableKey): void {
    const slot = this.#slotOf(key);
    if (slot >= 0) this.#remove(slot);
  }

  /** Takes no time in proportion to the keys: their memory is the garbage collector's. */
  dropAll(): void {
    this.capacity.size -= this.size;
    this.#slots.clear();
    this.#index.clear();
    this.places?.clear();
    this.#selectChunk(NO_SLOT);
    this.sweep.cancel();
  }

  sweepAll(): number {
    return this.sweep.all();
  }

  removeIfIdle(slot: number): boolean {
    const { cells } = this.#slots.chunkOf(slot);
    const base = (slot & this.#slots.mask) * this.width;
    if (!this.compiled.isIdle(cells, base, this.users.now)) return false;
    this.#remove(slot);
    return true;
  }

  protected override rebaseAll(from: CompiledPlan): void {
    this.#slots.moveOrigin(from);
    this.#selectChunk(NO_SLOT);
  }

  endPass(): void {
    this.dropOverflowIfIdle(this.users.now);
    this.#slots.shrink();
    this.#selectChunk(NO_SLOT);
  }

  #remove(slot: number): void {
    const last = this.size - 1;
    this.places?.delete(this.#slots.hashAt(slot));
    this.#index.delete(this.#slots.hashAt(slot), slot);
    if (slot !== last) this.#index.move(this.#slots.hashAt(last), last, slot);
    this.#slots.remove(slot);
    this.capacity.size -= 1;
  }

  #fitsNew(): boolean {
    return this.capacity.size < this.capacity.maxKeys && !this.retired && this.fits(this.#bytesForNew);
  }

  /** What the new key takes. Where the index or the slots have to grow, that includes the copy. */
  get #bytesForNew(): number {
    return this.#newBytes + this.#bytesForIndexes + this.#slots.bytesForNext;
  }

  get #bytesForIndexes(): number {
    return this.#index.bytesForNext(this.#newHash) + (this.places?.bytesForNext(this.#newHash) ?? 0);
  }

  /** Drops idle keys to make the new one fit. Tries that once at each instant. */
  #reclaimFor(now: TimeCell): boolean {
    if (now[0] === this.capacity.fullAtUs || this.retired) return false;
    this.#keyTableStore.reclaim(now, this.users.onlyClock);
    if (this.#fitsNew()) return true;
    this.capacity.fullAtUs = now[0]!;
    return false;
  }
}
