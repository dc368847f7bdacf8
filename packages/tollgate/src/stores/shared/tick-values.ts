import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Report } from "../../core/report.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import type { VerbTraits } from "../../core/verbs.ts";
import type { PlanNumbers } from "./plan-rows.ts";
import type { SharedMemory } from "./shared-memory.ts";
import { STATE } from "./shared-slots.ts";
import { upperBits, withUpperBits } from "./slot-state.ts";
import { ADMITTED, DENIED, PUBLISHED, RETRY, type SlotValues } from "./slot-values.ts";

const TWO_32 = 2 ** 32;
/**
 * Ticks go from -2^53 to 2^53, the upper 22 bits from 0. Kernels keep ticks away from either end, so the bits are never
 * 0.
 */
const UPPER_OF_ZERO = 2 ** 21;

/** The values of keys with one cell, the tick of a token bucket: 54 bits of the state are the tick itself. */
export class TickValues implements SlotValues {
  readonly cells: Float64Array = new Float64Array(1);
  readonly expiry: TimeCell = createTimeCell();
  readonly published: Int32Array = new Int32Array(2);
  readonly permanentBits = 0;
  readonly keepsExpiry = false;
  readonly words: Int32Array;
  readonly #memory: SharedMemory;
  readonly #rows: PlanNumbers;

  constructor(memory: SharedMemory, rows: PlanNumbers) {
    this.words = memory.words;
    this.#memory = memory;
    this.#rows = rows;
  }

  isIdle(_slot: number, low: number, high: number, plan: number, now: TimeCell): boolean {
    this.cells[0] = tickOf(low, high);
    return this.#rows.isIdle(plan, this.cells, 0, now);
  }

  tryTake(slot: number, high: number, compiled: CompiledPlan, now: TimeCell, cost: number): number {
    const { words, cells } = this;
    const low = words[slot + STATE]!;
    cells[0] = tickOf(low, high);
    const admitted = compiled.plainTake.tryTake(cells, 0, now, cost);
    const tick = cells[0];
    const isCurrent =
      admitted && cost > 0
        ? this.#memory.swap(
            slot + STATE,
            low,
            high,
            tick | 0,
            withUpperBits(Math.floor(tick / TWO_32) + UPPER_OF_ZERO, high),
          )
        : this.#memory.isStill(slot + STATE, low, high);
    if (!isCurrent) return RETRY;
    return admitted ? ADMITTED : DENIED;
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
    const { words, cells } = this;
    const low = words[slot + STATE]!;
    const before = tickOf(low, high);
    cells[0] = before;
    const outcome = compiled.applyToKept(verb, cells, 0, costs, now, report, at) ? ADMITTED : DENIED;
    if (cells[0] === before) return this.confirm(slot, low, high) ? outcome : RETRY;
    return this.publish(slot, low, high) === PUBLISHED ? outcome : RETRY;
  }

  read(_slot: number, low: number, high: number): void {
    this.cells[0] = tickOf(low, high);
  }

  confirm(slot: number, low: number, high: number): boolean {
    return this.#memory.isStill(slot + STATE, low, high);
  }

  publish(slot: number, low: number, high: number, generation: number = high): number {
    const tick = this.cells[0]!;
    const { published } = this;
    published[0] = tick | 0;
    published[1] = withUpperBits(Math.floor(tick / TWO_32) + UPPER_OF_ZERO, generation);
    return this.#memory.swap(slot + STATE, low, high, published[0], published[1]) ? PUBLISHED : RETRY;
  }
}

function tickOf(low: number, high: number): number {
  return (upperBits(high) - UPPER_OF_ZERO) * TWO_32 + (low >>> 0);
}
