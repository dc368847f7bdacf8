import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Ticks } from "../../algorithms/ticks.ts";
import type { KeyRef } from "../../core/key-ref.ts";
import type { Plan } from "../../core/plan.ts";
import { ownCopy } from "../../core/text-memory.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { KeyHash } from "../local/key-hash.ts";
import { PlanTable } from "../local/plan-table.ts";
import { RecentKeys } from "../local/recent-keys.ts";
import type { StoredKey, TableKey } from "../local/stored-key.ts";
import type { SlotTable, TablePlan } from "./slot-table.ts";
import { FREE, type TableSlots } from "./table-slots.ts";

/**
 * The values of a recent key: its fingerprint in two words, the index of the word where that was found, and the slot.
 */
const RECENT_VALUES = 4;
const WORD = 2;
const SLOT = 3;

/** A plan with less than one in so many keys of the store does not walk over all of them to find its own. */
const FEW_OF_ALL = 64;

/** Replaces `FREE` as the lower word of a hash: that would mark the slot as free. */
const NEXT_TO_FREE = 1;

/** One plan's keys in a table: the plan's number, and what makes its fingerprints of keys. */
export class PlanSlots extends PlanTable implements TablePlan {
  readonly cells: Float64Array;
  size = 0;
  readonly #table: SlotTable;
  readonly slots: TableSlots;
  readonly #onRemoved: (removed: PlanSlots) => void;
  /** Below 0 before `addToTable`, and when the table has no number left: then keys of this plan get no slots. */
  #number = -1;
  /** The hash of all plans of the store. */
  readonly #hash: KeyHash;
  /** Two random words, which make the fingerprints of one key under two plans differ. */
  #tweak: Int32Array;
  /** The keys' fingerprints, and where they were found. */
  readonly #recent: RecentKeys;
  /** The fingerprints of a batch of keys. */
  #prepared: Int32Array = new Int32Array(0);
  /** Keeps engines from removing reads that only warm the cache. */
  touched = 0;
  /** The latest fingerprint. */
  low = 0;
  high = 0;

  constructor(plan: Plan, now: TimeCell, table: SlotTable, hash: KeyHash, onRemoved: (removed: PlanSlots) => void) {
    super(plan, now, table.capacity);
    this.#table = table;
    this.#onRemoved = onRemoved;
    this.slots = table.slots;
    this.cells = table.slots.cells;
    this.#hash = hash;
    this.#tweak = table.capacity.secrets.next();
    this.#recent = new RecentKeys(RECENT_VALUES, this, true);
  }

  get ticks(): Ticks | undefined {
    return this.compiled.ticks;
  }

  addToTable(): void {
    this.#number = this.#table.add(this);
  }

  locate(key: string): number {
    const place = this.#recent.find(key);
    if (place < 0) return this.#locateAnother(key);
    const at = RECENT_VALUES * place;
    const { values } = this.#recent;
    const isThere = this.slots.holds(values[at + WORD]!, values[at]!, values[at + 1]!);
    return isThere ? values[at + SLOT]! : this.#locateMoved(at);
  }

  locateOnce(key: TableKey): number {
    this.computeFingerprint(key);
    return this.slots.find(this.low, this.high);
  }

  override locateRef(ref: KeyRef): number {
    // The tweak stands for the table: after `clear` there is another.
    if (ref.table !== this.#tweak) this.#hashRef(ref);
    if (ref.slot < 0 || !this.slots.holds(ref.word, ref.low, ref.high)) this.#findRef(ref);
    return ref.slot;
  }

  #hashRef(ref: KeyRef): void {
    this.computeFingerprint(ref.key);
    ref.table = this.#tweak;
    ref.low = this.low;
    ref.high = this.high;
    ref.slot = -1;
  }

  #findRef(ref: KeyRef): void {
    ref.slot = this.slots.find(ref.low, ref.high);
    if (ref.slot >= 0) ref.word = this.slots.wordOf(ref.slot);
  }

  /** Computes a key's fingerprint, into `low` and `high`. */
  computeFingerprint(key: TableKey): void {
    if (typeof key === "string") {
      this.#hash.hash(key);
      this.#setFingerprint(this.#hash.words[0]!, this.#hash.words[1]!);
    } else this.#setFingerprint(key.low, key.high);
  }

  #setFingerprint(low: number, high: number): void {
    const tweaked = low ^ this.#tweak[0]!;
    this.low = tweaked === FREE ? NEXT_TO_FREE : tweaked;
    this.high = high ^ this.#tweak[1]!;
  }

  /** Hashes all keys, then reads from all their sets with nothing in between: the cache misses overlap. */
  override prepare(keys: readonly string[], from: number, until: number): void {
    const words = 2 * (until - from);
    const prepared = this.#prepared.length < words ? new Int32Array(words) : this.#prepared;
    this.#prepared = prepared;
    for (let i = 0; i < words; i += 2) {
      this.computeFingerprint(keys[from + (i >>> 1)]!);
      prepared[i] = this.low;
      prepared[i + 1] = this.high;
    }
    this.touched ^= this.slots.touch(prepared, words);
  }

  override locatePrepared(_key: string, index: number): number {
    return this.slots.find(this.#prepared[2 * index]!, this.#prepared[2 * index + 1]!);
  }

  findSlot(key: TableKey, now: TimeCell): number {
    if (this.#number < 0) return -1;
    this.computeFingerprint(key);
    if (this.places !== undefined && !this.fits(this.places.bytesForNext(this.high ^ this.#tweak[1]!))) return -1;
    this.capacity.clockReadings.beginCall(this.users.onlyClock, now);
    return this.#table.findSlot(this.low, this.high, this, now);
  }

  insert(slot: number, _key: TableKey, source: Float64Array): void {
    this.slots.occupy(slot, this.low, this.high, this.#number);
    for (let i = 0; i < this.slots.width; i += 1) this.cells[slot + i] = source[i]!;
    this.places?.add(this.high ^ this.#tweak[1]!);
    this.size += 1;
    this.#table.capacity.size += 1;
  }

  storedKeys(): StoredKey[] {
    const keys: StoredKey[] = [];
    const [low, high] = this.#tweak as unknown as [number, number];
    this.#forEachSlot((slot) => {
      keys.push({ text: "", low: this.slots.lowOf(slot) ^ low, high: this.slots.highOf(slot) ^ high });
    });
    return keys;
  }

  drop(key: TableKey): void {
    const slot = this.locateOnce(key);
    if (slot >= 0) this.#table.drop(slot, this);
  }

  /**
   * Leaves the keys where they are, without an owner, and makes other fingerprints from now on: no call finds them any
   * more. Looking for the keys could take long.
   */
  dropAll(): void {
    if (this.size === 0) return;
    const number = this.#table.clear(this, this.#number);
    if (number < 0) {
      this.#forEachSlot((slot) => this.#table.drop(slot, this));
      return;
    }
    this.#number = number;
    this.#tweak = this.capacity.secrets.next();
    this.places?.clear();
    this.#recent.clear();
  }

  sweepAll(): number {
    const { now } = this.users;
    this.reach(now);
    this.dropOverflowIfIdle(now);
    const before = this.size;
    this.#forEachSlot((slot) => {
      if (this.compiled.isIdle(this.cells, slot, now)) this.#table.drop(slot, this);
    });
    const removed = before - this.size;
    this.capacity.sweptCount += removed;
    if (removed > 0) this.users.notifySwept(removed, this.size);
    return removed;
  }

  isSlotIdle(slot: number, caller: "this plan" | "another plan", callTime: TimeCell): boolean {
    const { users } = this;
    if (caller === "this plan" && users.onlyClock !== undefined)
      return this.compiled.isIdle(this.cells, slot, callTime);
    if (!users.askTime(this.capacity.clockReadings)) return false;
    // A plan whose limiter never calls again moves its origin here. During a call of its own the kernels must not
    // change.
    if (caller === "another plan") this.reach(users.now);
    users.noLaterThan(callTime);
    return this.reaches(users.now) && this.compiled.isIdle(this.cells, slot, users.now);
  }

  onDrop(slot: number): void {
    this.size -= 1;
    this.places?.delete(this.slots.highOf(slot) ^ this.#tweak[1]!);
  }

  isRemovable(): boolean {
    return this.size === 0 && this.users.askTime(this.capacity.clockReadings) && this.isIdle(this.users.now);
  }

  onRemoved(): void {
    this.retire();
    this.#onRemoved(this);
  }

  protected override rebaseAll(from: CompiledPlan): void {
    if (this.#number >= 0) this.#table.noteTicks(this, this.#number);
    this.#forEachSlot((slot) => this.compiled.rebase(this.cells, slot, from));
  }

  #forEachSlot(visit: (slot: number) => void): void {
    if (this.size === 0) return;
    const areFew = FEW_OF_ALL * this.size < this.capacity.size;
    this.slots.forEachOf(this.#number, areFew ? "few" : "many", visit);
  }

  /** Finds a recent key that has moved. */
  #locateMoved(at: number): number {
    const { values } = this.#recent;
    const slot = this.slots.find(values[at]!, values[at + 1]!);
    if (slot < 0) return -1;
    values[at + WORD] = this.slots.wordOf(slot);
    values[at + SLOT] = slot;
    return slot;
  }

  /** Finds a key that is not among the recent ones. */
  #locateAnother(key: string): number {
    this.computeFingerprint(key);
    this.#keepRecent(key);
    return this.slots.find(this.low, this.high);
  }

  /** Makes a key a recent one, with the latest fingerprint. */
  #keepRecent(key: string): void {
    const place = this.#recent.placeForMissing();
    if (place < 0) return;
    this.#recent.keep(place, ownCopy(key));
    const { values } = this.#recent;
    const at = RECENT_VALUES * place;
    values[at] = this.low;
    values[at + 1] = this.high;
    // No fingerprint lies at word 0, so the next call searches for the key.
    values[at + WORD] = 0;
  }
}
