import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Instant } from "../../core/instant.ts";
import { ownCopy } from "../../core/own-copy.ts";
import type { Plan } from "../../core/plan.ts";
import type { Room } from "../local/local-store.ts";
import { PlanTable } from "../local/plan-table.ts";
import { RecentKeys } from "../local/recent-keys.ts";

const FEWEST_SLOTS = 8;

/**
 * The keys and cells of one plan: a Map from key to slot, and the cells of all slots side by side in one array. Slots
 * are dense: dropping a key moves the last one into its place, so that the array's end is always free.
 */
export class KeyTable extends PlanTable {
  cells: Float64Array;
  readonly #slots: Map<string, number> = new Map();
  /** The slots' keys. */
  readonly #keys: string[] = [];
  readonly width: number;
  readonly #room: Room;
  readonly #reclaim: (now: Instant) => void;
  /** With their slots. */
  readonly #recent = new RecentKeys(1);
  /** The next slot that the sweep looks at; below 0 between passes. */
  #cursor = -1;
  #removedUntold = 0;

  /** `reclaim` makes room in a store that is full, if it can. */
  constructor(plan: Plan, nowUs: number, room: Room, reclaim: (now: Instant) => void) {
    super(plan, nowUs, room.secrets);
    this.width = this.compiled.width;
    this.cells = new Float64Array(FEWEST_SLOTS * this.width);
    this.#room = room;
    this.#reclaim = reclaim;
  }

  get size(): number {
    return this.#keys.length;
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
    const slot = this.#slots.get(key);
    if (slot === undefined) return -1;
    const place = this.#recent.placeForMissing();
    if (place >= 0) {
      this.#recent.keep(place, this.#keys[slot]!);
      this.#recent.values[place] = slot;
    }
    return slot * this.width;
  }

  /** The slot of a key; -1 if it has none. */
  slotOf(key: string): number {
    return this.#slots.get(key) ?? -1;
  }

  /** The key in a slot. */
  keyAt(slot: number): string | undefined {
    return this.#keys[slot];
  }

  room(_key: string, now: Instant): number {
    if (this.#room.size >= this.#room.maxKeys) this.#reclaim(now);
    return this.#room.size < this.#room.maxKeys ? this.#keys.length : -1;
  }

  insert(slot: number, key: string, source: Float64Array): void {
    const width = this.width;
    const base = slot * width;
    if (base === this.cells.length) this.#resize(2 * slot);
    for (let i = 0; i < width; i += 1) this.cells[base + i] = source[i]!;
    const own = ownCopy(key);
    this.#slots.set(own, slot);
    this.#keys.push(own);
    this.#room.size += 1;
  }

  drop(key: string): void {
    const slot = this.#slots.get(key);
    if (slot !== undefined) this.#remove(slot);
  }

  dropAll(): void {
    this.#room.size -= this.#keys.length;
    this.#slots.clear();
    this.#keys.length = 0;
    this.#cursor = -1;
    this.#shrink();
  }

  /**
   * Looks at up to `count` slots, drops those that are as good as new at the time that the members told, and says whether that
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
    this.tellSwept();
    return removed;
  }

  /** Tells the table's limiters what has been dropped since they were told last. */
  tellSwept(): void {
    const removed = this.#removedUntold;
    this.#removedUntold = 0;
    if (removed > 0) this.members.tellSwept(removed, this.#keys.length);
  }

  protected override rebaseAll(from: CompiledPlan): void {
    for (let slot = 0; slot < this.#keys.length; slot += 1) {
      this.compiled.rebase(this.cells, slot * this.width, from);
    }
  }

  #sweepDownTo(last: number): number {
    const { now } = this.members;
    this.reach(now);
    let removed = 0;
    for (; this.#cursor >= last; this.#cursor -= 1) {
      if (!this.compiled.isDroppable(this.cells, this.#cursor * this.width, now)) continue;
      this.#remove(this.#cursor);
      removed += 1;
    }
    this.#removedUntold += removed;
    return removed;
  }

  #endPass(): void {
    this.dropOverflowIfIdle(this.members.now);
    this.#shrink();
  }

  #remove(slot: number): void {
    const { cells } = this;
    const width = this.width;
    const last = this.#keys.length - 1;
    this.#slots.delete(this.#keys[slot]!);
    const moved = this.#keys[last]!;
    this.#keys.pop();
    this.#room.size -= 1;
    if (slot === last) return;
    cells.copyWithin(slot * width, last * width, (last + 1) * width);
    this.#keys[slot] = moved;
    this.#slots.set(moved, slot);
  }

  #shrink(): void {
    const slots = Math.max(FEWEST_SLOTS, 2 * this.#keys.length);
    if (2 * slots <= this.cells.length / this.width) this.#resize(slots);
  }

  #resize(slots: number): void {
    const kept = this.cells.subarray(0, this.#keys.length * this.width);
    this.cells = new Float64Array(slots * this.width);
    this.cells.set(kept);
  }
}
