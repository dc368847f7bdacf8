import { type CompiledPlan, compilePlan } from "../../algorithms/compile-plan.ts";
import { isDroppable } from "../../algorithms/plan-verbs.ts";
import type { Plan } from "../../core/plan.ts";
import type { Host } from "../../core/store.ts";

const FEWEST_SLOTS = 8;
/** Kernels are exact within 20 years of their origin; a clock that strays farther moves the origin. */
const REACH_US = 20 * 365.25 * 86_400_000_000;

/** Hears when the table's kernels were compiled anew. */
export interface TableUser {
  readonly host: Host;
  recompiled(): void;
}

/**
 * The keys and cells of one plan: a Map from key to slot, and the cells of all slots side by side in one array. Slots
 * are dense: dropping a key moves the last one into its place, so that the array's end is always free.
 */
export class KeyTable {
  readonly slots: Map<string, number> = new Map();
  readonly users: Set<TableUser> = new Set();
  cells: Float64Array;
  /** The kernels are exact between these moments. */
  #earliestUs = 0;
  #latestUs = 0;
  #compiled: CompiledPlan;
  #originUs = 0;
  readonly #plan: Plan;
  /** The slots' keys. */
  readonly #keys: string[] = [];
  /** The next slot that the sweep looks at; below 0 between passes. */
  #cursor = -1;
  #removedInPass = 0;

  constructor(plan: Plan, nowUs: number) {
    this.#plan = plan;
    this.#compiled = this.#compileAt(nowUs);
    this.cells = new Float64Array(FEWEST_SLOTS * this.#compiled.width);
  }

  get size(): number {
    return this.#keys.length;
  }

  get width(): number {
    return this.#compiled.width;
  }

  /** The kernels for a plan of this table's id: its limits may stand in another order. */
  compiledFor(plan: Plan): CompiledPlan {
    return plan === this.#plan ? this.#compiled : compilePlan(plan, this.#originUs);
  }

  /** Takes in a key that is not there yet, with the first `width` cells of `source`. */
  insert(key: string, source: Float64Array): void {
    const slot = this.#keys.length;
    const from = slot * this.width;
    if (from === this.cells.length) this.#resize(2 * slot);
    for (let i = 0; i < this.width; i += 1) this.cells[from + i] = source[i]!;
    this.#keys.push(key);
    this.slots.set(key, slot);
  }

  drop(key: string): void {
    const slot = this.slots.get(key);
    if (slot !== undefined) this.#remove(slot);
  }

  clear(): void {
    this.slots.clear();
    this.#keys.length = 0;
    this.#cursor = -1;
    this.#shrink();
  }

  /**
   * Looks at up to `count` slots, drops those that are as good as new, and reports at the end of a pass over all.
   *
   * @returns whether the pass is over.
   */
  sweepSome(count: number, nowUs: number): boolean {
    this.reach(nowUs);
    if (this.#cursor < 0) this.#cursor = this.#keys.length - 1;
    const last = Math.max(0, this.#cursor - count + 1);
    for (; this.#cursor >= last; this.#cursor -= 1) {
      // A slot past the end was dropped by its own limiter since the pass began.
      if (this.#cursor >= this.#keys.length) continue;
      if (!isDroppable(this.#compiled, this.cells, this.#cursor * this.width, nowUs)) continue;
      this.#remove(this.#cursor);
      this.#removedInPass += 1;
    }
    if (this.#cursor >= 0) return false;
    this.#endPass();
    return true;
  }

  /** One pass over all slots, at once. */
  sweepAll(nowUs: number): number {
    const before = this.#keys.length;
    this.#cursor = before - 1;
    this.sweepSome(before, nowUs);
    return before - this.#keys.length;
  }

  /** Makes sure that the kernels are exact at this moment. */
  reach(nowUs: number): void {
    if (nowUs < this.#earliestUs || nowUs > this.#latestUs) this.#moveOrigin(nowUs);
  }

  /** Compiles the kernels for another origin and restates every cell: for clocks that jump by decades. */
  #moveOrigin(nowUs: number): void {
    const before = this.#compiled;
    this.#compiled = this.#compileAt(nowUs);
    const { kernels, offsets, width } = this.#compiled;
    for (let base = 0; base < this.#keys.length * width; base += width) {
      kernels.forEach((kernel, i) => {
        kernel.rebase(this.cells, base + offsets[i]!, before.kernels[i]!);
      });
    }
    for (const user of this.users) user.recompiled();
  }

  #compileAt(originUs: number): CompiledPlan {
    this.#originUs = originUs;
    this.#earliestUs = originUs - REACH_US;
    this.#latestUs = originUs + REACH_US;
    return compilePlan(this.#plan, originUs);
  }

  #remove(slot: number): void {
    const { width, cells } = this;
    const last = this.#keys.length - 1;
    this.slots.delete(this.#keys[slot]!);
    const moved = this.#keys[last]!;
    this.#keys.pop();
    if (slot === last) return;
    cells.copyWithin(slot * width, last * width, (last + 1) * width);
    this.#keys[slot] = moved;
    this.slots.set(moved, slot);
  }

  #endPass(): void {
    const removed = this.#removedInPass;
    this.#removedInPass = 0;
    if (removed === 0) return;
    this.#shrink();
    for (const user of this.users) user.host.swept(removed, this.#keys.length);
  }

  #shrink(): void {
    const slots = Math.max(FEWEST_SLOTS, 2 * this.#keys.length);
    if (4 * slots <= this.cells.length / this.width) this.#resize(slots);
  }

  #resize(slots: number): void {
    const kept = this.cells.subarray(0, this.#keys.length * this.width);
    this.cells = new Float64Array(slots * this.width);
    this.cells.set(kept);
  }
}
