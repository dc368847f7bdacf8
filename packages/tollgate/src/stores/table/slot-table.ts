import type { Ticks } from "../../algorithms/ticks.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import type { Capacity } from "../local/capacity.ts";
import { SLOTS_PER_SET } from "../local/table-size.ts";
import { TableSlots } from "./table-slots.ts";
import { TickScales } from "./tick-scales.ts";

/** A plan that may have keys in the table, or the keys that a plan has cleared. */
export interface TablePlan {
  /** How many keys it has. */
  size: number;
  /** The scale of its keys' only cell, if that is a tick. */
  readonly ticks?: Ticks | undefined;
  /** Set if its keys do not count any more. */
  readonly areCleared?: true;
  /**
   * Whether the key in one of its slots is idle at `callTime`, the time of the call that needs the slot. `caller` says
   * whose call that is.
   */
  isSlotIdle(slot: number, caller: "this plan" | "another plan", callTime: TimeCell): boolean;
  /** A key of the plan is about to leave this slot. */
  onDrop(slot: number): void;
  /** Whether the plan has no keys and no overflow buckets in use. */
  isRemovable(): boolean;
  /** The table has removed the plan. */
  onRemoved(): void;
}

/** Plan numbers have 16 bits. */
const MOST_PLANS = 2 ** 16;
/** With more plans than this, the table looks for plans to remove. */
const MANY_PLANS = 64;
/** All plans are checked again at the latest when this many have come: each new plan pays for a few checks. */
const NEW_PLANS_PER_CHECK = MOST_PLANS / 16;
const SLOTS_PER_SWEEP_STEP = 64;
/** A new plan may come in the middle of a pass, so a whole one follows. */
const PASSES_PER_NEW_PLAN = 2;
/** Each of these plans may have 256 overflow buckets to check. */
const PLANS_PER_SWEEP_STEP = 2;

/** Owns the slots of the keys that a plan has cleared. New keys may take these slots at once. */
class ClearedKeys implements TablePlan {
  readonly areCleared = true;
  size: number;

  constructor(size: number) {
    this.size = size;
  }

  isSlotIdle(): boolean {
    return true;
  }

  onDrop(): void {
    this.size -= 1;
  }

  isRemovable(): boolean {
    return this.size === 0;
  }

  onRemoved(): void {}
}

/** The keys of all plans of one width. */
export class SlotTable {
  readonly slots: TableSlots;
  readonly capacity: Capacity;
  readonly #plans: (TablePlan | undefined)[] = [];
  readonly #tickScales = new TickScales();
  /** Numbers of removed plans. */
  readonly #freeNumbers: number[] = [];
  /** Plans for which no number was left: they get no slots. */
  readonly #unnumbered = new Set<TablePlan>();
  /** Stands for the call time where no call needs the slot. */
  readonly #noCallTime = createTimeCell(Number.POSITIVE_INFINITY);
  #checkAt = MANY_PLANS;
  #slotCursor = 0;
  /** How often the sweep is to come to the end of the slots. Without new plans it rests: idle keys do no harm. */
  #passesDue = 0;
  /** How many slots have cleared keys. */
  #clearedKeys = 0;
  #planCursor = 0;

  /** With 0 for `maxKeys` the table has no slots, so its plans' keys find none. */
  constructor(width: number, capacity: Capacity, maxKeys: number = capacity.maxKeys) {
    this.slots = new TableSlots(maxKeys, width);
    this.capacity = capacity;
  }

  /** Adds a plan and returns its number; -1 if all numbers are taken: then the plan gets no slots. */
  add(plan: TablePlan): number {
    if (this.#planCount >= this.#checkAt) this.#removeAllRemovable();
    if (!this.#hasNumberLeft || this.slots.count === 0) {
      this.#unnumbered.add(plan);
      return -1;
    }
    const number = this.#freeNumbers.pop() ?? this.#plans.length;
    this.#plans[number] = plan;
    this.noteTicks(plan, number);
    this.#passesDue = PASSES_PER_NEW_PLAN;
    return number;
  }

  /**
   * Takes all its keys from a plan at once, and returns the plan's new number. No search of the plan may find the old
   * keys: the caller changes the secret of its fingerprints. -1 if no number is left.
   */
  clear(plan: TablePlan, number: number): number {
    if (!this.#hasNumberLeft) return -1;
    const cleared = new ClearedKeys(plan.size);
    this.#plans[number] = cleared;
    this.noteTicks(cleared, number);
    this.capacity.size -= plan.size;
    plan.size = 0;
    this.#clearedKeys += cleared.size;
    return this.add(plan);
  }

  /**
   * Finds a free slot for a key. If all are taken, it drops a key that is idle at the time of the call, or moves a key
   * to its other set. -1 if all keys in the way are in use.
   */
  findSlot(low: number, high: number, caller: TablePlan, callTime: TimeCell): number {
    const first = this.slots.firstSet(low);
    const second = this.slots.secondSet(low, high);
    let slot = this.#findSlotIn(first, caller, callTime);
    if (slot < 0) slot = this.#findSlotIn(second, caller, callTime);
    if (slot < 0) slot = this.#findSlotByMoving(first, caller, callTime);
    return slot < 0 ? this.#findSlotByMoving(second, caller, callTime) : slot;
  }

  /** A plan has another scale of ticks. */
  noteTicks({ ticks }: TablePlan, number: number): void {
    this.#tickScales.set(number, ticks);
  }

  /** Drops the key in a slot. */
  drop(slot: number, plan: TablePlan): void {
    plan.onDrop(slot);
    this.slots.free(slot);
    if (plan.areCleared === true) this.#clearedKeys -= 1;
    else this.capacity.size -= 1;
  }

  /** Frees a few slots of cleared keys. In a table with many plans, drops idle keys, so that plans become removable. */
  sweepStep(): void {
    if (this.#clearedKeys > 0) this.#dropCleared();
    else if (this.#isCrowded && (this.#passesDue > 0 || this.capacity.isShortOfBytes)) this.#dropIdle();
  }

  #dropCleared(): void {
    for (let i = 0; i < SLOTS_PER_SWEEP_STEP; i += 1) {
      const index = this.slots.nextTaken(this.#slotCursor);
      this.#slotCursor = index + 1;
      if (index < 0) return;
      const plan = this.#planAt(index);
      if (plan.areCleared === true) this.drop(this.slots.nth(index), plan);
    }
  }

  #dropIdle(): void {
    this.capacity.clockReadings.begin();
    const end = this.#slotCursor + SLOTS_PER_SWEEP_STEP;
    let index = this.slots.nextTaken(this.#slotCursor);
    for (; index >= 0 && index < end; index = this.slots.nextTaken(index + 1)) {
      const slot = this.slots.nth(index);
      const plan = this.#planAt(index);
      if (plan.isSlotIdle(slot, "another plan", this.#noCallTime)) this.#dropIdleKey(slot, plan);
    }
    this.#slotCursor = end < this.slots.count ? end : 0;
    if (this.#slotCursor === 0 && this.#passesDue > 0) this.#passesDue -= 1;
  }

  #dropIdleKey(slot: number, plan: TablePlan): void {
    if (plan.areCleared !== true) this.capacity.sweptCount += 1;
    this.drop(slot, plan);
  }

  get #isCrowded(): boolean {
    return this.#plans.length > MANY_PLANS;
  }

  /** Checks a few plans and removes the removable ones: for stores that are short of bytes. */
  removeSomePlans(): void {
    this.capacity.clockReadings.begin();
    for (let i = 0; i < PLANS_PER_SWEEP_STEP && this.#plans.length > 0; i += 1) {
      this.#planCursor = (this.#planCursor + 1) % this.#plans.length;
      this.#removeIfRemovable(this.#planCursor);
    }
    let left = PLANS_PER_SWEEP_STEP;
    for (const plan of this.#unnumbered) {
      this.#unnumbered.delete(plan);
      if (plan.isRemovable()) plan.onRemoved();
      // Moves to the end of the set.
      else this.#unnumbered.add(plan);
      left -= 1;
      if (left === 0) break;
    }
  }

  /** Prefers a free slot to that of an idle key, which may come again. */
  #findSlotIn(set: number, caller: TablePlan, callTime: TimeCell): number {
    const { slots } = this;
    for (let way = 0; way < SLOTS_PER_SET; way += 1) if (slots.isFreeAt(set, way)) return slots.slot(set, way);
    const index = slots.indexOfSet(set);
    for (let way = 0; way < SLOTS_PER_SET; way += 1) {
      const slot = slots.slot(set, way);
      if (this.#tickScales.isInUse(slots.planAt(index + way), slots.cells[slot]!, callTime)) continue;
      const plan = this.#planAt(index + way);
      if (!plan.isSlotIdle(slot, plan === caller ? "this plan" : "another plan", callTime)) continue;
      this.#dropIdleKey(slot, plan);
      return slot;
    }
    return -1;
  }

  #findSlotByMoving(set: number, caller: TablePlan, callTime: TimeCell): number {
    for (let way = 0; way < SLOTS_PER_SET; way += 1) {
      const to = this.#findSlotIn(this.slots.otherSet(set, way), caller, callTime);
      if (to < 0) continue;
      const slot = this.slots.slot(set, way);
      this.slots.move(slot, to);
      return slot;
    }
    return -1;
  }

  #removeAllRemovable(): void {
    this.capacity.clockReadings.begin();
    for (let number = 0; number < this.#plans.length; number += 1) this.#removeIfRemovable(number);
    for (const plan of this.#unnumbered) {
      if (!plan.isRemovable()) continue;
      this.#unnumbered.delete(plan);
      plan.onRemoved();
    }
    const left = this.#planCount;
    this.#checkAt = Math.max(MANY_PLANS, left + Math.min(left, NEW_PLANS_PER_CHECK));
  }

  #removeIfRemovable(number: number): void {
    const plan = this.#plans[number];
    if (!plan?.isRemovable()) return;
    this.#plans[number] = undefined;
    this.#freeNumbers.push(number);
    plan.onRemoved();
  }

  /** The plan whose key is in the `index`-th slot in memory. */
  #planAt(index: number): TablePlan {
    return this.#plans[this.slots.planAt(index)]!;
  }

  get #hasNumberLeft(): boolean {
    return this.#freeNumbers.length > 0 || this.#plans.length < MOST_PLANS;
  }

  get #planCount(): number {
    return this.#plans.length - this.#freeNumbers.length + this.#unnumbered.size;
  }
}
