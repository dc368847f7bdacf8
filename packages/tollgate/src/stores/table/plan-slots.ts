import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import { ownCopy } from "../../core/own-copy.ts";
import type { Plan } from "../../core/plan.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { KeyHash } from "../local/key-hash.ts";
import { PlanTable } from "../local/plan-table.ts";
import { RecentKeys } from "../local/recent-keys.ts";
import type { Owner, SlotTable } from "./slot-table.ts";
import { FREE, type Slots } from "./table-slots.ts";

/** What is kept of a recent key: its fingerprint, the word where that was found, and the slot. */
const RECENT_VALUES = 4;
const WORD = 2;
const SLOT = 3;

/** Stands in for the one lower word that would mean that a slot is free. */
const NEXT_TO_FREE = 1;

/** One plan's keys in a table: its number among the owners of slots, and the secret under which it hashes keys. */
export class PlanSlots extends PlanTable implements Owner {
  readonly cells: Float64Array;
  /** How many slots it owns. */
  size = 0;
  readonly #table: SlotTable;
  readonly slots: Slots;
  readonly #retire: (letGo: PlanSlots) => void;
  /** Below 0 before `join`, or where there were too many plans: it gets no room. */
  #number = -1;
  /** A secret of its own: the same key has nothing in common with itself under another plan. */
  readonly #hash: KeyHash;
  /** With their fingerprints, and where they were found. */
  readonly #recent: RecentKeys;
  /** Fingerprints of a batch of keys. */
  #prepared: Int32Array = new Int32Array(0);
  /** Keeps reads that only warm the cache from being left out. */
  touched = 0;
  /** The fingerprint noted last. */
  low = 0;
  high = 0;

  constructor(plan: Plan, nowUs: number, table: SlotTable, retire: (letGo: PlanSlots) => void) {
    super(plan, nowUs, table.capacity);
    this.#table = table;
    this.#retire = retire;
    this.slots = table.slots;
    this.cells = table.slots.cells;
    this.#hash = new KeyHash(table.capacity.secrets.next());
    this.#recent = new RecentKeys(RECENT_VALUES, this, true);
  }

  /** Makes it one of the owners of slots. */
  join(): void {
    this.#number = this.#table.adopt(this);
  }

  locate(key: string): number {
    const place = this.#recent.find(key);
    if (place < 0) return this.#locateAnother(key);
    const at = RECENT_VALUES * place;
    const { values } = this.#recent;
    const isThere = this.slots.holds(values[at + WORD]!, values[at]!, values[at + 1]!);
    return isThere ? values[at + SLOT]! : this.#locateMoved(at);
  }

  /** Notes a key's fingerprint. */
  print(key: string): void {
    this.#hash.hash(key);
    const low = this.#hash.words[0]!;
    this.low = low === FREE ? NEXT_TO_FREE : low;
    this.high = this.#hash.words[1]!;
  }

  /** Hashes all keys, and then reads from all their sets with nothing in between: so the misses of the cache overlap. */
  override prepare(keys: readonly string[], from: number, until: number): void {
    const words = 2 * (until - from);
    const prepared = this.#prepared.length < words ? new Int32Array(words) : this.#prepared;
    this.#prepared = prepared;
    for (let i = 0; i < words; i += 2) {
      this.print(keys[from + (i >>> 1)]!);
      prepared[i] = this.low;
      prepared[i + 1] = this.high;
    }
    this.touched ^= this.slots.touch(prepared, words);
  }

  override locatePrepared(_key: string, index: number): number {
    return this.slots.find(this.#prepared[2 * index]!, this.#prepared[2 * index + 1]!);
  }

  room(key: string, now: TimeCell): number {
    if (this.#number < 0) return -1;
    this.print(key);
    return this.#table.makeRoom(this.low, this.high, this, now);
  }

  insert(slot: number, _key: string, source: Float64Array): void {
    this.slots.occupy(slot, this.low, this.high, this.#number);
    for (let i = 0; i < this.slots.width; i += 1) this.cells[slot + i] = source[i]!;
    this.size += 1;
    this.#table.capacity.size += 1;
  }

  /** With its fingerprint, so that other keys are moved as if it had come. */
  reserve(slot: number, key: string, source: Float64Array): void {
    this.insert(slot, key, source);
  }

  release(key: string, now: TimeCell, wasChanged: boolean): void {
    const slot = this.locate(key);
    if (slot < 0 || !this.reaches(now)) return;
    // A bucket that starts empty has begun to fill with a call that was denied.
    const isIdle = this.plan.startsEmpty ? !wasChanged : this.compiled.isIdle(this.cells, slot, now);
    if (isIdle) this.#table.drop(slot, this);
  }

  drop(key: string): void {
    const slot = this.locate(key);
    if (slot >= 0) this.#table.drop(slot, this);
  }

  dropAll(): void {
    for (const slot of this.#own()) this.#table.drop(slot, this);
  }

  sweepAll(): number {
    const { now } = this.users;
    this.reach(now);
    this.dropOverflowIfIdle(now);
    const before = this.size;
    for (const slot of this.#own()) {
      if (this.compiled.isIdle(this.cells, slot, now) && !this.#isReserved(slot)) this.#table.drop(slot, this);
    }
    const removed = before - this.size;
    if (removed > 0) this.users.tellSwept(removed, this.size);
    return removed;
  }

  isSlotIdle(slot: number, asker: "itself" | "another", callTime: TimeCell): boolean {
    if (this.store.reservations.some && this.#isReserved(slot)) return false;
    const { users } = this;
    if (asker === "itself" && users.haveOneClock) return this.compiled.isIdle(this.cells, slot, callTime);
    if (!users.askTime()) return false;
    // Its limiter may never call again. In the middle of its own call the kernels have to stay.
    if (asker === "another") this.reach(users.now);
    users.noLaterThan(callTime[0]!);
    return this.reaches(users.now) && this.compiled.isIdle(this.cells, slot, users.now);
  }

  isDone(): boolean {
    return this.size === 0 && this.users.askTime() && this.isIdle(this.users.now);
  }

  letGo(): void {
    this.retire();
    this.#retire(this);
  }

  protected override rebaseAll(from: CompiledPlan): void {
    for (const slot of this.#own()) this.compiled.rebase(this.cells, slot, from);
  }

  #isReserved(slot: number): boolean {
    return this.store.reservations.has(this, (key) => {
      this.#hash.hash(key);
      const [low = FREE, high = 0] = this.#hash.words;
      return this.slots.find(low === FREE ? NEXT_TO_FREE : low, high) === slot;
    });
  }

  /** For a recent key that is not where it was. */
  #locateMoved(at: number): number {
    const { values } = this.#recent;
    const slot = this.slots.find(values[at]!, values[at + 1]!);
    if (slot < 0) return -1;
    values[at + WORD] = this.slots.wordOf(slot);
    values[at + SLOT] = slot;
    return slot;
  }

  /** For a key that is none of the recent ones. */
  #locateAnother(key: string): number {
    this.print(key);
    this.#keepRecent(key);
    return this.slots.find(this.low, this.high);
  }

  /** With the fingerprint that has just been noted. */
  #keepRecent(key: string): void {
    const place = this.#recent.placeForMissing();
    if (place < 0) return;
    this.#recent.keep(place, ownCopy(key));
    const { values } = this.#recent;
    const at = RECENT_VALUES * place;
    values[at] = this.low;
    values[at + 1] = this.high;
    // There is no fingerprint: it has to be found.
    values[at + WORD] = 0;
  }

  *#own(): Generator<number> {
    for (let index = 0, left = this.size; left > 0 && index < this.slots.count; index += 1) {
      const slot = this.slots.nth(index);
      if (this.slots.isFree(slot) || this.slots.ownerOf(slot) !== this.#number) continue;
      left -= 1;
      yield slot;
    }
  }
}
