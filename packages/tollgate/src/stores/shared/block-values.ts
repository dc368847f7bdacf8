import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Report } from "../../core/report.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import type { VerbTraits } from "../../core/verbs.ts";
import type { PlanNumbers } from "./plan-rows.ts";
import type { SharedMemory } from "./shared-memory.ts";
import { SLOT_WORDS, STATE } from "./shared-slots.ts";
import { CLAIMED, UPPER_VALUES, upperBits, withUpperBits } from "./slot-state.ts";
import { ADMITTED, DENIED, NO_WRITE_SLOT_LEFT, PUBLISHED, RETRY, type SlotValues } from "./slot-values.ts";
import { NO_BLOCK, type WriteSlots } from "./write-slots.ts";

/** A block's first number, if threads share it: when its cells become idle, in microseconds. */
const EXPIRY = 1;

/**
 * The values of keys with several cells. The cells lie in a block; a slot's state names the block and counts how often
 * it changed. A thread writes the new cells into its write slot's block, swaps the two names atomically, and the write
 * slot keeps the old block. So no call waits for another, and what a thread reads is consistent if the state is the
 * same before and after.
 *
 * There are as many blocks as key slots and write slots, and at first each has its own. A slot names a block by its
 * distance from the slot's own number.
 */
export class BlockValues implements SlotValues {
  readonly cells: Float64Array;
  readonly expiry: TimeCell = createTimeCell();
  readonly published: Int32Array = new Int32Array(2);
  readonly permanentBits: number = ~CLAIMED;
  readonly keepsExpiry: boolean;
  readonly #memory: SharedMemory;
  readonly #writeSlots: WriteSlots | undefined;
  readonly #slotsAt: number;
  readonly #blocks: number;
  /** The index of the first block among the numbers. */
  readonly #blocksAt: number;
  readonly #numbersPerBlock: number;
  /** Where a block's cells begin. */
  readonly #cellsAt: number;
  readonly #plans: PlanNumbers;

  /** Without write slots, each slot keeps its block: one thread has the memory. */
  constructor(
    memory: SharedMemory,
    writeSlots: WriteSlots | undefined,
    slotsAt: number,
    slots: number,
    blocksAt: number,
    width: number,
    plans: PlanNumbers,
  ) {
    this.cells = new Float64Array(width);
    this.#memory = memory;
    this.#writeSlots = writeSlots;
    this.#slotsAt = slotsAt;
    this.#blocks = slots + (writeSlots?.count ?? 0);
    this.#blocksAt = blocksAt;
    this.keepsExpiry = writeSlots !== undefined;
    this.#cellsAt = this.keepsExpiry ? EXPIRY : 0;
    this.#numbersPerBlock = this.#cellsAt + width;
    this.#plans = plans;
  }

  /** The numbers of the blocks of so many slots. */
  static numbers(slots: number, writeSlots: number, width: number): number {
    return (slots + writeSlots) * ((writeSlots === 0 ? 0 : EXPIRY) + width);
  }

  tryTake(slot: number, high: number, compiled: CompiledPlan, now: TimeCell, cost: number): number {
    const { words, atomics } = this.#memory;
    if (this.#writeSlots === undefined) return this.#tryTakeIn(slot, words[slot + STATE]!, high, compiled, now, cost);
    // Before the cells: if the count in the upper word is the same later, everything read in between is of one state.
    if (atomics.load(words, slot + STATE + 1) !== high) return RETRY;
    const low = words[slot + STATE]!;
    this.read(slot, low);
    const admitted = compiled.plainTake.tryTake(this.cells, 0, now, cost);
    if (admitted && cost > 0) {
      compiled.noteExpiry(this.cells, 0, now, this.expiry);
      const published = this.publish(slot, low, high);
      return published === PUBLISHED ? ADMITTED : published;
    }
    if (!this.confirm(slot, low, high)) return RETRY;
    return admitted ? ADMITTED : DENIED;
  }

  /** Takes from the cells in the block itself, which saves a fifth of an `allow`: one thread has the memory. */
  #tryTakeIn(slot: number, low: number, high: number, compiled: CompiledPlan, now: TimeCell, cost: number): number {
    const { numbers, words } = this.#memory;
    const at = this.#numbersOf(this.#blockOf(slot, low));
    if (!compiled.plainTake.tryTake(numbers, at, now, cost)) return DENIED;
    if (cost > 0) words[slot + STATE + 1] = nextVersion(high, high);
    return ADMITTED;
  }

  tryApply(
    slot: number,
    high: number,
    compiled: CompiledPlan,
    verb: VerbTraits,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
  ): number {
    if (this.#writeSlots !== undefined) return RETRY;
    const { words, numbers } = this.#memory;
    const block = this.#numbersOf(this.#blockOf(slot, words[slot + STATE]!));
    const admitted = compiled.applyToKept(verb, numbers, block, costs, now, report, at);
    if (verb.changes) words[slot + STATE + 1] = nextVersion(high, high);
    return admitted ? ADMITTED : DENIED;
  }

  read(slot: number, low: number): void {
    const { numbers } = this.#memory;
    const at = this.#numbersOf(this.#blockOf(slot, low)) + this.#cellsAt;
    for (let i = 0; i < this.cells.length; i += 1) this.cells[i] = numbers[at + i]!;
  }

  isIdle(slot: number, low: number, _high: number, plan: number, now: TimeCell): boolean {
    const { numbers } = this.#memory;
    const at = this.#numbersOf(this.#blockOf(slot, low));
    return this.keepsExpiry ? numbers[at]! <= now[0]! : this.#plans.isIdle(plan, numbers, at, now);
  }

  confirm(slot: number, low: number, high: number): boolean {
    // A swap, not a load: the plain reads of cells before a load could be carried out after it.
    return this.#memory.swap(slot + STATE, low, high, low, high);
  }

  publish(slot: number, low: number, high: number, generation: number = high): number {
    const writeSlots = this.#writeSlots;
    const old = this.#blockOf(slot, low);
    if (writeSlots === undefined) return this.#publishIn(old, slot, low, high, generation);
    const own = writeSlots.acquire();
    if (own === NO_BLOCK) return NO_WRITE_SLOT_LEFT;
    this.#write(own);
    const isPublished = this.#swapName(own, slot, low, high, generation);
    writeSlots.release(isPublished ? old : own);
    return isPublished ? PUBLISHED : RETRY;
  }

  #publishIn(block: number, slot: number, low: number, high: number, generation: number): number {
    if (!this.#swapName(block, slot, low, high, generation)) return RETRY;
    this.#write(block);
    return PUBLISHED;
  }

  #swapName(block: number, slot: number, low: number, high: number, generation: number): boolean {
    const { published } = this;
    published[0] = this.#nameOf(slot, block);
    published[1] = nextVersion(high, generation);
    return this.#memory.swap(slot + STATE, low, high, published[0], published[1]);
  }

  #write(block: number): void {
    const { numbers } = this.#memory;
    const at = this.#numbersOf(block);
    if (this.keepsExpiry) numbers[at] = this.expiry[0]!;
    for (let i = 0; i < this.cells.length; i += 1) numbers[at + this.#cellsAt + i] = this.cells[i]!;
  }

  #blockOf(slot: number, low: number): number {
    return (this.#numberOf(slot) + (low >>> 1)) % this.#blocks;
  }

  /** The lower word of a state that names this block. */
  #nameOf(slot: number, block: number): number {
    return ((block + this.#blocks - this.#numberOf(slot)) % this.#blocks) << 1;
  }

  #numberOf(slot: number): number {
    return (slot - this.#slotsAt) / SLOT_WORDS;
  }

  #numbersOf(block: number): number {
    return this.#blocksAt + block * this.#numbersPerBlock;
  }
}

/** The upper word of a state whose cells have changed once more. */
function nextVersion(high: number, generation: number): number {
  // 0 would mean that the slot has no key.
  return withUpperBits(Math.max(1, (upperBits(high) + 1) % UPPER_VALUES), generation);
}
