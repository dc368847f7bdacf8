import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import { REACH_US } from "../../algorithms/ticks.ts";
import { type Clock, readUs } from "../../core/clock.ts";
import type { Plan } from "../../core/plan.ts";
import type { Host } from "../../core/store.ts";

const FEWEST_SLOTS = 8;

/**
 * The keys and cells of one plan: a Map from key to slot, and the cells of all slots side by side in one array. Slots
 * are dense: dropping a key moves the last one into its place, so that the array's end is always free.
 */
export class KeyTable {
  readonly plan: Plan;
  readonly slots: Map<string, number> = new Map();
  /** Of the limiters that use it: one for most tables. */
  readonly #clocks = new Set<Clock>();
  readonly #listeners = new Set<Host>();
  cells: Float64Array;
  /** Replaced when the origin moves. */
  compiled: CompiledPlan;
  /** Whether the store let it go, empty; whoever held it has to ask the store again. */
  retired = false;
  /** The kernels are exact between these moments; a clock that strays farther moves the origin. */
  #earliestUs = 0;
  #latestUs = 0;
  #originUs = 0;
  /** The slots' keys. */
  readonly #keys: string[] = [];
  /** The next slot that the sweep looks at; below 0 between passes. */
  #cursor = -1;
  #removedInPass = 0;

  constructor(plan: Plan, nowUs: number) {
    this.plan = plan;
    this.compiled = this.#compileAt(nowUs);
    this.cells = new Float64Array(FEWEST_SLOTS * this.compiled.width);
  }

  get size(): number {
    return this.#keys.length;
  }

  get width(): number {
    return this.compiled.width;
  }

  /** The kernels for a plan of this table's id: its limits may stand in another order and have other modes. */
  compiledFor(plan: Plan): CompiledPlan {
    return plan === this.plan ? this.compiled : new CompiledPlan(plan, this.#originUs);
  }

  addHost(host: Host): void {
    this.#clocks.add(host.clock);
    if (host.swept !== undefined) this.#listeners.add(host);
  }

  /** Its clock stays: somebody has to tell a sweep the time. */
  removeHost(host: Host): void {
    this.#listeners.delete(host);
  }

  /** Makes sure that the kernels are exact at this moment. */
  reach(nowUs: number): void {
    if (nowUs < this.#earliestUs || nowUs > this.#latestUs) this.#moveOrigin(nowUs);
  }

  /** Takes in a key that is not there yet, with the first `width` cells of `source`. */
  insert(key: string, source: Float64Array): void {
    const { width } = this;
    const slot = this.#keys.length;
    const from = slot * width;
    if (from === this.cells.length) this.#resize(2 * slot);
    for (let i = 0; i < width; i += 1) this.cells[from + i] = source[i]!;
    const own = ownCopy(key);
    // First, because a Map that is full throws.
    this.slots.set(own, slot);
    this.#keys.push(own);
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

  /** Looks at up to `count` slots, drops those that are as good as new, and says whether that ended a pass over all. */
  sweepSome(count: number, nowUs: number): boolean {
    // Between passes, or keys were dropped by their limiter since the pass began.
    if (this.#cursor < 0 || this.#cursor >= this.#keys.length) this.#cursor = this.#keys.length - 1;
    this.#sweepDownTo(Math.max(0, this.#cursor - count + 1), nowUs);
    if (this.#cursor >= 0) return false;
    this.#endPass();
    return true;
  }

  /** One pass over all slots, at once; says how many keys went. */
  sweepAll(nowUs: number): number {
    this.#cursor = this.#keys.length - 1;
    const removed = this.#sweepDownTo(0, nowUs);
    this.#endPass();
    return removed;
  }

  /** The time by the earliest of its clocks: no key may go that somebody still has to wait for. */
  nowUs(): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const clock of this.#clocks) earliest = Math.min(earliest, readUs(clock));
    return earliest;
  }

  #sweepDownTo(last: number, nowUs: number): number {
    this.reach(nowUs);
    let removed = 0;
    for (; this.#cursor >= last; this.#cursor -= 1) {
      if (!this.compiled.isDroppable(this.cells, this.#cursor * this.width, nowUs)) continue;
      this.#remove(this.#cursor);
      removed += 1;
    }
    this.#removedInPass += removed;
    return removed;
  }

  #endPass(): void {
    const removed = this.#removedInPass;
    this.#removedInPass = 0;
    this.#shrink();
    if (removed === 0) return;
    for (const host of this.#listeners) host.swept?.(removed, this.#keys.length);
  }

  /** Compiles the kernels for another origin and restates every cell: for clocks that jump by decades. */
  #moveOrigin(nowUs: number): void {
    const before = this.compiled;
    this.compiled = this.#compileAt(nowUs);
    for (let slot = 0; slot < this.#keys.length; slot += 1) {
      this.compiled.rebase(this.cells, slot * this.width, before);
    }
  }

  #compileAt(originUs: number): CompiledPlan {
    this.#originUs = originUs;
    this.#earliestUs = originUs - REACH_US;
    this.#latestUs = originUs + REACH_US;
    return new CompiledPlan(this.plan, originUs);
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

/** Engines keep longer pieces of a string as a view of the whole. */
const SHORTEST_VIEW = 13;

/** The same text in memory of its own: a key cut out of a header must not keep the header. */
function ownCopy(key: string): string {
  return key.length < SHORTEST_VIEW ? key : ` ${key}`.slice(1);
}
