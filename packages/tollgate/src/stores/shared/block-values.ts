import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import { DeskRecovery } from "./write-slot-recovery.ts";
import { DESKS, type Desks, NO_DESK } from "./write-slots.ts";
import type { SharedMemory } from "./shared-memory.ts";
import { SLOT_WORDS, STATE } from "./shared-slots.ts";
import { GENERATION_MASK, TAKEN, UPPER_VALUES, upperOf, withUpper } from "./slot-state.ts";
import { ADMITTED, AGAIN, DENIED, NO_WRITING, PUBLISHED, type Values } from "./slot-values.ts";

/** Before its cells a block says from when on they are as good as new, in microseconds. */
const HEAD = 1;

/**
 * Where a key has several cells, they lie in a block. A slot's state names its block and counts how often that changed. A thread writes what
 * is to come into a block that is its own, swaps the two names at once, and has the old block for the next time. So no key ever waits for
 * anybody, and what is read is of one moment as long as the state is the same before and after.
 *
 * There is a block for each slot and each desk, and at first each has its own: a block is named by how many numbers it is further on.
 */
export class BlockValues implements Values {
  readonly cells: Float64Array;
  readonly expiry: TimeCell = createTimeCell();
  readonly published: Int32Array = new Int32Array(2);
  readonly lasting: number = ~TAKEN;
  readonly #memory: SharedMemory;
  readonly #desks: Desks;
  readonly #recovery: DeskRecovery;
  readonly #slotsAt: number;
  readonly #slots: number;
  readonly #blocks: number;
  /** Where the first block begins among the numbers. */
  readonly #blocksAt: number;
  readonly #numbersPerBlock: number;

  constructor(memory: SharedMemory, desks: Desks, slotsAt: number, slots: number, blocksAt: number, width: number) {
    this.cells = new Float64Array(width);
    this.#memory = memory;
    this.#desks = desks;
    this.#slotsAt = slotsAt;
    this.#slots = slots;
    this.#blocks = slots + DESKS;
    this.#recovery = new DeskRecovery(desks, this.#blocks, (marks) => this.#markNamed(marks));
    this.#blocksAt = blocksAt;
    this.#numbersPerBlock = HEAD + width;
  }

  static numbers(slots: number, width: number): number {
    return (slots + DESKS) * (HEAD + width);
  }

  admit(
    slot: number,
    printLow: number,
    printHigh: number,
    compiled: CompiledPlan,
    now: TimeCell,
    cost: number,
  ): number {
    const { words, atomics } = this.#memory;
    // The upper word first: from then on its count proves the rest.
    const high = atomics.load(words, slot + STATE + 1);
    const low = words[slot + STATE]!;
    const isThere = words[slot] === (printLow | (high & GENERATION_MASK)) && words[slot + 1] === printHigh;
    if (!isThere || upperOf(high) === 0) return AGAIN;
    this.read(slot, low);
    const admitted = compiled.taker.admit(this.cells, 0, now, cost);
    if (admitted && cost > 0) {
      compiled.noteExpiry(this.cells, 0, now, this.expiry);
      const published = this.publish(slot, low, high);
      return published === PUBLISHED ? ADMITTED : published;
    }
    if (!this.confirm(slot, low, high)) return AGAIN;
    return admitted ? ADMITTED : DENIED;
  }

  read(slot: number, low: number): void {
    const { numbers } = this.#memory;
    const at = this.#numbersOf(this.#blockOf(slot, low)) + HEAD;
    for (let i = 0; i < this.cells.length; i += 1) this.cells[i] = numbers[at + i]!;
  }

  expiryOf(slot: number, low: number): number {
    return this.#memory.numbers[this.#numbersOf(this.#blockOf(slot, low))]!;
  }

  confirm(slot: number, low: number, high: number): boolean {
    // A swap rather than a look: what was read before it must not be read after it.
    return this.#memory.swap(slot + STATE, low, high, low, high);
  }

  publish(slot: number, low: number, high: number): number {
    const desk = this.#desks.occupy();
    this.#recovery.lookIfDue(desk === NO_DESK);
    if (desk === NO_DESK) return NO_WRITING;
    const own = this.#desks.blockAt(desk);
    const old = this.#blockOf(slot, low);
    this.#write(own);
    this.#desks.noteNext(desk, old);
    // 0 would say that no key lives there.
    const version = Math.max(1, (upperOf(high) + 1) % UPPER_VALUES);
    const { published } = this;
    published[0] = this.#nameOf(slot, own);
    published[1] = withUpper(version, high);
    const isPublished = this.#memory.swap(slot + STATE, low, high, published[0], published[1]);
    if (isPublished) this.#desks.keep(desk, old);
    this.#desks.leave(desk);
    return isPublished ? PUBLISHED : AGAIN;
  }

  #markNamed(marks: Uint8Array): void {
    const { words } = this.#memory;
    for (let number = 0; number < this.#slots; number += 1) {
      const slot = this.#slotsAt + number * SLOT_WORDS;
      marks[this.#blockOf(slot, words[slot + STATE]!)] = 1;
    }
  }

  #write(block: number): void {
    const { numbers } = this.#memory;
    const at = this.#numbersOf(block);
    numbers[at] = this.expiry[0]!;
    for (let i = 0; i < this.cells.length; i += 1) numbers[at + HEAD + i] = this.cells[i]!;
  }

  #blockOf(slot: number, low: number): number {
    return (this.#numberOf(slot) + (low >>> 1)) % this.#blocks;
  }

  /** The lower word of a state. */
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
