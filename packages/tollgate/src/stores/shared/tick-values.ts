import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import type { SharedMemory } from "./shared-memory.ts";
import type { PlanRows } from "./plan-rows.ts";
import { STATE } from "./shared-slots.ts";
import { GENERATION_MASK, upperOf, withUpper } from "./slot-state.ts";
import { ADMITTED, AGAIN, DENIED, PUBLISHED, type Values } from "./slot-values.ts";

const TWO_32 = 2 ** 32;
/** Ticks go from -2^53 to 2^53, the upper 22 bits from 0. Near 0 they never are: kernels keep well away from either end. */
const UPPER_OF_ZERO = 2 ** 21;

/** Where a key has one cell, the tick of a token bucket: 54 bits of the state are the tick itself. */
export class TickValues implements Values {
  readonly cells: Float64Array = new Float64Array(1);
  readonly expiry: TimeCell = createTimeCell();
  readonly published: Int32Array = new Int32Array(2);
  readonly lasting = 0;
  readonly words: Int32Array;
  readonly #memory: SharedMemory;

  readonly #rows: PlanRows;

  constructor(memory: SharedMemory, rows: PlanRows) {
    this.words = memory.words;
    this.#memory = memory;
    this.#rows = rows;
  }

  expiryOf(_slot: number, low: number, high: number, plan: number): number {
    return this.#rows.usOf(plan, tickOf(low, high));
  }

  admit(
    slot: number,
    printLow: number,
    printHigh: number,
    compiled: CompiledPlan,
    now: TimeCell,
    cost: number,
  ): number {
    const { words } = this;
    const low = words[slot + STATE]!;
    const high = words[slot + STATE + 1]!;
    // The fingerprint after the state: what is found to be of its generation then is so until the state changes.
    const isThere = words[slot] === (printLow | (high & GENERATION_MASK)) && words[slot + 1] === printHigh;
    if (!isThere || upperOf(high) === 0) return AGAIN;
    const { cells } = this;
    cells[0] = tickOf(low, high);
    const admitted = compiled.taker.admit(cells, 0, now, cost);
    const tick = cells[0];
    const isDone =
      admitted && cost > 0
        ? this.#memory.swap(
            slot + STATE,
            low,
            high,
            tick | 0,
            withUpper(Math.floor(tick / TWO_32) + UPPER_OF_ZERO, high),
          )
        : this.#memory.isStill(slot + STATE, low, high);
    if (!isDone) return AGAIN;
    return admitted ? ADMITTED : DENIED;
  }

  read(_slot: number, low: number, high: number): void {
    this.cells[0] = tickOf(low, high);
  }

  confirm(slot: number, low: number, high: number): boolean {
    return this.#memory.isStill(slot + STATE, low, high);
  }

  publish(slot: number, low: number, high: number): number {
    const tick = this.cells[0]!;
    const { published } = this;
    published[0] = tick | 0;
    published[1] = withUpper(Math.floor(tick / TWO_32) + UPPER_OF_ZERO, high);
    return this.#memory.swap(slot + STATE, low, high, published[0], published[1]) ? PUBLISHED : AGAIN;
  }
}

function tickOf(low: number, high: number): number {
  return (upperOf(high) - UPPER_OF_ZERO) * TWO_32 + (low >>> 0);
}
