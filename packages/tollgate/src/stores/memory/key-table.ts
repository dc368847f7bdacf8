import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Clock } from "../../core/clock.ts";
import type { KeyRef } from "../../core/key-ref.ts";
import type { Plan } from "../../core/plan.ts";
import { ownCopy } from "../../core/text-memory.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Capacity } from "../local/capacity.ts";
import { PlanTable } from "../local/plan-table.ts";
import { RecentKeys } from "../local/recent-keys.ts";
import { KeyBytes } from "./key-bytes.ts";
import { isKeptAsItIs, type KeyTexts } from "./key-texts.ts";
import { grownSlots, leastSlotsBeyond, shrunkSlots } from "./slot-growth.ts";
import { type SweptTable, TableSweep } from "./table-sweep.ts";

const BYTES_PER_CELL = 8;

/** What the tables of one store have in common. */
export interface KeyTableStore {
  readonly capacity: Capacity;
  readonly texts: KeyTexts;
  /** The least time between the beginnings of two passes of a table's sweep, and between two notifications. */
  readonly sweepIntervalUs: number;
  /** Drops idle keys at the time of a call, which comes from `clock` if that is given. */
  reclaim(now: TimeCell, clock: Clock | undefined): void;
}

/**
 * The keys and cells of one plan: a Map from key to slot, and the cells of all slots side by side in one array. Slots
 * are dense: dropping a key moves the last one into its slot, so that only the end of the array is free.
 */
export class KeyTable extends PlanTable implements SweptTable {
  cells: Float64Array = new Float64Array(0);
  readonly #slots: Map<string, number> = new Map();
  /** The key of each slot, in the form that `KeyTexts` gives it. */
  readonly #keys: string[] = [];
  readonly width: number;
  readonly sweep: TableSweep;
  readonly #keyTableStore: KeyTableStore;
  readonly #recent: RecentKeys;
  readonly #keyBytes = new KeyBytes((bytes) => this.charge(bytes));
  /** The text and the bytes of the new key that `insert` is about to add. */
  #newText = "";
  #newBytes = 0;
  /** The key that has a slot reserved until the current call is decided. */
  #reserved: string | undefined;
  #reservedBytes = 0;

  constructor(plan: Plan, now: TimeCell, keyTableStore: KeyTableStore) {
    super(plan, now, keyTableStore.capacity);
    this.width = this.compiled.width;
    this.#keyTableStore = keyTableStore;
    this.#recent = new RecentKeys(1, this);
    this.sweep = new TableSweep(this, keyTableStore.sweepIntervalUs, now[0]!);
  }

  get size(): number {
    return this.#keys.length;
  }

  /** Whether it has no keys, no overflow buckets and no reservations. */
  get isEmpty(): boolean {
    return this.#keys.length === 0 && this.#reserved === undefined && !this.holdsOverflow;
  }

  locate(key: string): number {
    const place = this.#recent.find(key);
    if (place < 0) return this.#locateAnother(key);
    const recent = this.#recent.values[place]!;
    // The same string object: the key has not moved.
    return this.#keys[recent] === this.#recent.at(place) ? recent * this.width : this.#locateMoved(key, place);
  }

  /** Finds a recent key that has moved. */
  #locateMoved(key: string, place: number): number {
    const slot = this.#slots.get(key);
    if (slot === undefined) return -1;
    this.#recent.replace(place, this.#keys[slot]!);
    this.#recent.values[place] = slot;
    return slot * this.width;
  }

  /** Finds a key that is not among the recent ones. */
  #locateAnother(key: string): number {
    if (!isKeptAsItIs(key)) return this.slotOf(key) * this.width;
    const slot = this.#slots.get(key);
    if (slot === undefined) return -1;
    const place = this.#recent.placeForMissing();
    if (place >= 0) {
      this.#recent.keep(place, this.#keys[slot]!);
      this.#recent.values[place] = slot;
    }
    return slot * this.width;
  }

  override locateRef(ref: KeyRef): number {
    if (ref.table !== this || ref.slot < 0 || this.#keys[ref.slot] !== ref.text) this.#findRef(ref);
    return ref.slot < 0 ? -1 : ref.slot * this.width;
  }

  #findRef(ref: KeyRef): void {
    ref.table = this;
    ref.slot = this.slotOf(ref.key);
    ref.text = this.#keys[ref.slot] ?? "";
  }

  /** The slot of a key, or -1. */
  slotOf(key: string): number {
    return this.#slots.get(this.#keyTableStore.texts.of(key)) ?? -1;
  }

  findSlot(key: string, now: TimeCell): number {
    const text = this.#keyTableStore.texts.of(key);
    const bytes = KeyBytes.of(text);
    if (!(this.#reserved === key || this.#fitsNew(bytes) || this.#reclaimFor(bytes, now))) return -1;
    this.#newText = text;
    this.#newBytes = bytes;
    return this.#keys.length;
  }

  /** Counts the key and its bytes without inserting it: an insertion would change what the next key takes. */
  reserve(_slot: number, key: string): void {
    this.#reserved = key;
    this.#reservedBytes = this.#bytesWith(this.#newBytes);
    this.capacity.size += 1;
    this.charge(this.#reservedBytes);
  }

  release(key: string): void {
    if (this.#reserved !== key) return;
    this.#reserved = undefined;
    this.capacity.size -= 1;
    this.charge(-this.#reservedBytes);
  }

  insert(slot: number, key: string, source: Float64Array): void {
    if (this.#reserved !== undefined) this.release(key);
    const { width } = this;
    const base = slot * width;
    if (base === this.cells.length) this.#grow();
    for (let i = 0; i < width; i += 1) this.cells[base + i] = source[i]!;
    const own = ownCopy(this.#newText);
    this.#slots.set(own, slot);
    this.#keys.push(own);
    this.capacity.size += 1;
    this.#keyBytes.add(this.#newBytes);
  }

  drop(key: string): void {
    const slot = this.slotOf(key);
    if (slot >= 0) this.#remove(slot);
  }

  dropAll(): void {
    this.capacity.size -= this.#keys.length;
    this.#slots.clear();
    this.#keys.length = 0;
    this.#keyBytes.clear();
    this.sweep.cancel();
    this.#shrink();
  }

  sweepAll(): number {
    return this.sweep.all();
  }

  removeIfIdle(slot: number): boolean {
    const { now } = this.users;
    if (!this.compiled.isIdle(this.cells, slot * this.width, now) || this.#isReserved(slot)) return false;
    this.#remove(slot);
    return true;
  }

  protected override rebaseAll(from: CompiledPlan): void {
    for (let slot = 0; slot < this.#keys.length; slot += 1) {
      this.compiled.rebase(this.cells, slot * this.width, from);
    }
  }

  endPass(): void {
    this.dropOverflowIfIdle(this.users.now);
    this.#shrink();
  }

  #isReserved(slot: number): boolean {
    const { reservations } = this.capacity;
    return reservations.areSome && reservations.has(this, (key) => this.slotOf(key) === slot);
  }

  #remove(slot: number): void {
    const last = this.#keys.length - 1;
    const text = this.#keys[slot]!;
    this.#slots.delete(text);
    const moved = this.#keys[last]!;
    this.#keys.pop();
    this.capacity.size -= 1;
    this.#keyBytes.delete(text);
    if (slot === last) return;
    this.cells.copyWithin(slot * this.width, last * this.width, (last + 1) * this.width);
    this.#keys[slot] = moved;
    this.#slots.set(moved, slot);
  }

  #fitsNew(bytes: number): boolean {
    return this.capacity.size < this.capacity.maxKeys && !this.retired && this.fits(this.#bytesWith(bytes));
  }

  /** What a new key takes. Where the Map or the cells have to grow, that includes the copy. */
  #bytesWith(bytes: number): number {
    const isFull = this.#keys.length * this.width === this.cells.length;
    const cellBytes = isFull ? BYTES_PER_CELL * this.width * leastSlotsBeyond(this.#keys.length) : 0;
    return bytes + this.#keyBytes.bytesForNext + cellBytes;
  }

  /** Drops idle keys to make the new one fit. Tries that once at each instant. */
  #reclaimFor(bytes: number, now: TimeCell): boolean {
    if (now[0] === this.capacity.fullAtUs || this.retired) return false;
    this.#keyTableStore.reclaim(now, this.users.onlyClock);
    if (this.#fitsNew(bytes)) return true;
    this.capacity.fullAtUs = now[0]!;
    return false;
  }

  #grow(): void {
    const bytes = this.capacity.bytesLeft - this.#newBytes - this.#keyBytes.bytesForNext;
    this.#resize(grownSlots(this.#keys.length, Math.floor(bytes / (BYTES_PER_CELL * this.width))));
  }

  /** The copy may exceed the store's bytes for a moment, by at most a quarter of the cells. */
  #shrink(): void {
    const allocated = this.cells.length / this.width;
    const slots = shrunkSlots(this.#keys.length, allocated);
    if (slots < allocated) this.#resize(slots);
  }

  #resize(slots: number): void {
    const kept = this.cells.subarray(0, this.#keys.length * this.width);
    this.charge(BYTES_PER_CELL * slots * this.width - this.cells.byteLength);
    this.cells = new Float64Array(slots * this.width);
    this.cells.set(kept);
  }
}
