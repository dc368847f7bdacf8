import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import type { Capacity } from "../local/capacity.ts";
import { SLOTS_PER_SET } from "../local/table-size.ts";
import { TableSlots } from "./table-slots.ts";

/** A plan that may have keys in the table. */
export interface TablePlan {
  /** How many keys it has. */
  size: number;
  /**
   * Whether the key in one of its slots is idle at `callTime`, the time of the call that needs the slot. `caller` says
   * whose call that is.
   */
  isSlotIdle(slot: number, caller: "this plan" | "another plan", callTime: TimeCell): boolean;
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
/** Each of these plans may have 256 overflow buckets to check. */
const PLANS_PER_SWEEP_STEP = 2;

/** The keys of all plans of one width. */
export class SlotTable {
  readonly slots: TableSlots;
  readonly capacity: Capacity;
  readonly #plans: (TablePlan | undefined)[] = [];
  /** Numbers of removed plans. */
  readonly #freeNumbers: number[] = [];
  /** Plans for which no number was left: they get no slots. */
  readonly #unnumbered = new Set<TablePlan>();
  /** Stands for the call time where no call needs the slot. */
  readonly #noCallTime = createTimeCell(Number.POSITIVE_INFINITY);
  #checkAt = MANY_PLANS;
  #slotCursor = 0;
  #planCursor = 0;

  /** With 0 for `maxKeys` the table has no slots, so its plans' keys find none. */
  constructor(width: number, capacity: Capacity, maxKeys: number = capacity.maxKeys) {
    this.slots = new TableSlots(maxKeys, width);
    this.capacity = capacity;
  }

  get isCrowded(): boolean {
    return this.#plans.length > MANY_PLANS;
  }

  /** Adds a plan and returns its number; -1 if all numbers are taken: then the plan gets no slots. */
  add(plan: TablePlan): number {
    if (this.#planCount >= this.#checkAt) this.#removeAllRemovable();
    const number = this.#freeNumbers.pop() ?? this.#plans.length;
    if (number >= MOST_PLANS || this.slots.count === 0) {
      this.#unnumbered.add(plan);
      return -1;
    }
    this.#plans[number] = plan;
    return number;
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

  /** Drops the key in a slot. */
  drop(slot: number, plan: TablePlan): void {
    this.slots.free(slot);
    plan.size -= 1;
    this.capacity.size -= 1;
  }

  /** In a table with many plans, sweeps a few slots, so that plans without calls become removable. */
  sweepStep(): void {
    if (!this.isCrowded) return;
    for (let i = 0; i < SLOTS_PER_SWEEP_STEP; i += 1) {
      this.#slotCursor = (this.#slotCursor + 1) % this.slots.count;
      const slot = this.slots.nth(this.#slotCursor);
      if (this.slots.isFree(slot)) continue;
      const plan = this.#planOf(slot);
      if (plan.isSlotIdle(slot, "another plan", this.#noCallTime)) this.drop(slot, plan);
    }
  }

  /** Checks a few plans and removes the removable ones: for stores that are short of bytes. */
  removeSomePlans(): void {
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

  #findSlotIn(set: number, caller: TablePlan, callTime: TimeCell): number {
    for (let way = 0; way < SLOTS_PER_SET; way += 1) {
      const slot = this.slots.slot(set, way);
      if (this.slots.isFree(slot)) return slot;
      const plan = this.#planOf(slot);
      if (!plan.isSlotIdle(slot, plan === caller ? "this plan" : "another plan", callTime)) continue;
      this.drop(slot, plan);
      return slot;
    }
    return -1;
  }

  #findSlotByMoving(set: number, caller: TablePlan, callTime: TimeCell): number {
    for (let way = 0; way < SLOTS_PER_SET; way += 1) {
      const slot = this.slots.slot(set, way);
      const to = this.#findSlotIn(this.slots.otherSet(slot), caller, callTime);
      if (to < 0) continue;
      this.slots.move(slot, to);
      return slot;
    }
    return -1;
  }

  #removeAllRemovable(): void {
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

  get #planCount(): number {
    return this.#plans.length - this.#freeNumbers.length + this.#unnumbered.size;
  }

  #planOf(slot: number): TablePlan {
    return this.#plans[this.slots.planOf(slot)]!;
  }
}
