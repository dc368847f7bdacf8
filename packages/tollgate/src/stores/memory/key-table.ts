import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { KeyRef } from "../../core/key-ref.ts";
import type { Plan } from "../../core/plan.ts";
import { ownCopy, textBytes } from "../../core/text-memory.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Capacity } from "../local/capacity.ts";
import { PlanTable } from "../local/plan-table.ts";
import { RecentKeys } from "../local/recent-keys.ts";
import { isKeptAsItIs, type KeyTexts } from "./key-texts.ts";
import { MapBytes } from "./map-bytes.ts";

const FEWEST_SLOTS = 8;
/** An element of the array of keys, of which engines allocate half as many again. */
const BYTES_PER_ELEMENT = 12;
const BYTES_PER_CELL = 8;
/** Where there are not enough bytes for twice the slots, so many more for each slot will do. */
const LEAST_GROWTH = 1 / 8;

/** What the tables of one store have in common. */
export interface KeyTableStore {
  readonly capacity: Capacity;
  readonly texts: KeyTexts;
  /** Makes room in a store that is full, if it can. */
  reclaim(now: TimeCell): void;
}

/**
 * The keys and cells of one plan: a Map from key to slot, and the cells of all slots side by side in one array. Slots
 * are dense: dropping a key moves the last one into its place, so that the array's end is always free.
 */
export class KeyTable extends PlanTable {
  cells: Float64Array = new Float64Array(0);
  readonly #slots: Map<string, number> = new Map();
  /** The slots' keys, as `texts` has them. */
  readonly #keys: string[] = [];
  readonly width: number;
  readonly #owner: KeyTableStore;
  /** With their slots. */
  readonly #recent: RecentKeys;
  readonly #mapBytes = new MapBytes();
  /** Of all keys. */
  #textBytes = 0;
  /** The text and the bytes of the key for which there is a place. */
  #newText = "";
  #newBytes = 0;
  /** A key for which a place is kept while a call is decided. */
  #reserved: string | undefined;
  #reservedBytes = 0;
  /** The next slot that the sweep looks at; below 0 between passes. */
  #cursor = -1;
  #removedUntold = 0;

  constructor(plan: Plan, now: TimeCell, owner: KeyTableStore) {
    super(plan, now, owner.capacity);
    this.width = this.compiled.width;
    this.#owner = owner;
    this.#recent = new RecentKeys(1, this);
  }

  get size(): number {
    return this.#keys.length;
  }

  /** Whether it is as it was made: nothing is counted or promised in it. */
  get isUntouched(): boolean {
    return this.#keys.length === 0 && this.#reserved === undefined && !this.holdsOverflow;
  }

  locate(key: string): number {
    const place = this.#recent.find(key);
    if (place < 0) return this.#locateAnother(key);
    const recent = this.#recent.values[place]!;
    // The very string, so nothing has moved since.
    return this.#keys[recent] === this.#recent.at(place) ? recent * this.width : this.#locateMoved(key, place);
  }

  /** For a recent key that is not where it was. */
  #locateMoved(key: string, place: number): number {
    const slot = this.#slots.get(key);
    if (slot === undefined) return -1;
    this.#recent.replace(place, this.#keys[slot]!);
    this.#recent.values[place] = slot;
    return slot * this.width;
  }

  /** For a key that is none of the recent ones. */
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

  /** The slot of a key; -1 if it has none. */
  slotOf(key: string): number {
    return this.#slots.get(this.#owner.texts.of(key)) ?? -1;
  }

  findSlot(key: string, now: TimeCell): number {
    const text = this.#owner.texts.of(key);
    const bytes = textBytes(text) + BYTES_PER_ELEMENT;
    if (!(this.#reserved === key || this.#hasRoomFor(bytes) || this.#reclaimFor(bytes, now))) return -1;
    this.#newText = text;
    this.#newBytes = bytes;
    return this.#keys.length;
  }

  /**
   * The number of a key and its bytes are counted as if it had come. To put it in would change what the next one takes.
   */
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
    const width = this.width;
    const base = slot * width;
    if (base === this.cells.length) this.#grow();
    for (let i = 0; i < width; i += 1) this.cells[base + i] = source[i]!;
    const own = ownCopy(this.#newText);
    this.#slots.set(own, slot);
    this.#keys.push(own);
    this.capacity.size += 1;
    this.#textBytes += this.#newBytes;
    const before = this.#mapBytes.bytes;
    this.#mapBytes.add();
    this.charge(this.#newBytes + this.#mapBytes.bytes - before);
  }

  drop(key: string): void {
    const slot = this.slotOf(key);
    if (slot >= 0) this.#remove(slot);
  }

  dropAll(): void {
    this.capacity.size -= this.#keys.length;
    this.#slots.clear();
    this.#keys.length = 0;
    const before = this.#mapBytes.bytes;
    this.#mapBytes.clear();
    this.charge(this.#mapBytes.bytes - before - this.#textBytes);
    this.#textBytes = 0;
    this.#cursor = -1;
    this.#shrink();
  }

  /**
   * Looks at up to `count` slots, drops those that are as good as new at the time that the users told, and says whether that
   * ended a pass over all.
   */
  sweepSome(count: number): boolean {
    // Between passes, or keys were dropped by their limiter since the pass began.
    if (this.#cursor < 0 || this.#cursor >= this.#keys.length) this.#cursor = this.#keys.length - 1;
    this.#sweepDownTo(Math.max(0, this.#cursor - count + 1));
    if (this.#cursor >= 0) return false;
    this.#endPass();
    return true;
  }

  sweepAll(): number {
    this.#cursor = this.#keys.length - 1;
    const removed = this.#sweepDownTo(0);
    this.#endPass();
    this.notifySwept();
    return removed;
  }

  /** Tells the table's limiters what has been dropped since they were told last. */
  notifySwept(): void {
    const removed = this.#removedUntold;
    this.#removedUntold = 0;
    if (removed > 0) this.users.notifySwept(removed, this.#keys.length);
  }

  protected override rebaseAll(from: CompiledPlan): void {
    for (let slot = 0; slot < this.#keys.length; slot += 1) {
      this.compiled.rebase(this.cells, slot * this.width, from);
    }
  }

  #sweepDownTo(last: number): number {
    const { now } = this.users;
    this.reach(now);
    let removed = 0;
    for (; this.#cursor >= last; this.#cursor -= 1) {
      if (!this.compiled.isIdle(this.cells, this.#cursor * this.width, now) || this.#isReserved(this.#cursor)) continue;
      this.#remove(this.#cursor);
      removed += 1;
    }
    this.#removedUntold += removed;
    return removed;
  }

  #endPass(): void {
    this.dropOverflowIfIdle(this.users.now);
    this.#shrink();
  }

  #isReserved(slot: number): boolean {
    const { reservations } = this.capacity;
    return reservations.areSome && reservations.has(this, (key) => this.slotOf(key) === slot);
  }

  #remove(slot: number): void {
    const { cells } = this;
    const width = this.width;
    const last = this.#keys.length - 1;
    const text = this.#keys[slot]!;
    this.#slots.delete(text);
    const moved = this.#keys[last]!;
    this.#keys.pop();
    this.capacity.size -= 1;
    this.#noteRemoved(text);
    if (slot === last) return;
    cells.copyWithin(slot * width, last * width, (last + 1) * width);
    this.#keys[slot] = moved;
    this.#slots.set(moved, slot);
  }

  #noteRemoved(text: string): void {
    const bytes = textBytes(text) + BYTES_PER_ELEMENT;
    this.#textBytes -= bytes;
    const before = this.#mapBytes.bytes;
    this.#mapBytes.delete();
    this.charge(this.#mapBytes.bytes - before - bytes);
  }

  #hasRoomFor(bytes: number): boolean {
    return this.capacity.size < this.capacity.maxKeys && !this.retired && this.fits(this.#bytesWith(bytes));
  }

  /** What a key takes, with what is copied where the Map or the cells have to grow. */
  #bytesWith(bytes: number): number {
    const slots = this.#keys.length;
    const isFull = slots * this.width === this.cells.length;
    const cells = isFull ? BYTES_PER_CELL * this.width * leastSlotsBeyond(slots) : 0;
    return bytes + this.#mapBytes.bytesForNext + cells;
  }

  /** Looks for idle keys, once at an instant. */
  #reclaimFor(bytes: number, now: TimeCell): boolean {
    const nowUs = now[0]!;
    if (nowUs === this.capacity.fullAtUs || this.retired) return false;
    this.#owner.reclaim(now);
    if (this.#hasRoomFor(bytes)) return true;
    this.capacity.fullAtUs = nowUs;
    return false;
  }

  /** To twice the slots, or to fewer where there are not enough bytes for the new cells beside the old ones. */
  #grow(): void {
    const slots = this.#keys.length;
    const bytes = this.capacity.bytesLeft - this.#newBytes - this.#mapBytes.bytesForNext;
    const most = Math.floor(bytes / (BYTES_PER_CELL * this.width));
    this.#resize(Math.max(leastSlotsBeyond(slots), Math.min(most, Math.max(FEWEST_SLOTS, 2 * slots))));
  }

  /**
   * What has been copied is not held against the store's bytes: for a moment there is a quarter of the cells more at
   * most.
   */
  #shrink(): void {
    const slots = Math.max(FEWEST_SLOTS, 2 * this.#keys.length);
    if (2 * slots <= this.cells.length / this.width) this.#resize(slots);
  }

  #resize(slots: number): void {
    const kept = this.cells.subarray(0, this.#keys.length * this.width);
    this.charge(BYTES_PER_CELL * slots * this.width - this.cells.byteLength);
    this.cells = new Float64Array(slots * this.width);
    this.cells.set(kept);
  }
}

function leastSlotsBeyond(slots: number): number {
  return slots + Math.max(1, Math.floor(slots * LEAST_GROWTH));
}
