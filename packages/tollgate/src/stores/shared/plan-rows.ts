import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import { TollgateError } from "../../core/errors.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { INSERTED_AT, MOST_PLANS, PLAN_ROW, PLANS_AT } from "./memory-layout.ts";
import { SharedBits } from "./shared-bits.ts";
import type { SharedMemory } from "./shared-memory.ts";

const ORIGIN = 2;
const US_PER_TICK = 4;
const LATER_US = 6;

/** How many rows a search for a plan visits. */
const MOST_PROBES = 4096;
/** A time that is computed from ticks is rounded up by this factor: floating point must not make it earlier. */
const ROUNDED_UP = 1 + 2 ** -40;

/** What `PlanRows` does. */
export type PlanNumbers = Pick<PlanRows, keyof PlanRows>;

/** What threads have to agree on about a plan: its number, and the origin from which its ticks count. */
export class PlanRows {
  readonly #memory: SharedMemory;
  /** A bit for each plan: whether a thread has ever inserted a key of it. */
  readonly #inserted: SharedBits;
  /** A number, and the same bytes as words. */
  readonly #number = new Float64Array(1);
  readonly #words = new Int32Array(this.#number.buffer);

  constructor(memory: SharedMemory) {
    this.#memory = memory;
    this.#inserted = new SharedBits(memory, INSERTED_AT);
  }

  /**
   * The number of the plan that a hash names. The first thread that asks gives the plan its number.
   *
   * @throws TollgateError `ERR_LIMITS` if there are too many plans.
   */
  numberOf(low: number, high: number): number {
    const name = low === 0 && high === 0 ? 1 : low;
    for (let probe = 0; probe < MOST_PROBES; probe += 1) {
      const number = ((low >>> 0) + probe) % MOST_PLANS;
      const row = this.#rowOf(number);
      if (this.#memory.swap(row, 0, 0, name, high) || this.#memory.isStill(row, name, high)) return number;
    }
    throw tooManyPlansError(MOST_PLANS);
  }

  /**
   * Describes a plan of one cell to threads that do not know it, so that they can tell when its keys are idle. It says
   * how long a tick takes, and how much later than `ticks × usPerTick` after the origin a key is idle. Blocks have
   * their own expiry. Ticks of an inexact scale count from before the plan's origin, by up to a period of the limit.
   *
   * Every thread records the same values, before it counts a key.
   */
  describe(number: number, { ticks, idleTtlUs }: CompiledPlan, originUs: number): void {
    if (ticks === undefined) return;
    this.#write((this.#rowOf(number) + US_PER_TICK) >>> 1, 1 / ticks.perUs);
    this.#write((this.#rowOf(number) + LATER_US) >>> 1, idleTtlUs - (originUs - ticks.originUs));
  }

  /** Records that a plan may have keys. A thread does so before it inserts one. */
  markInserted(number: number): void {
    this.#inserted.set(number);
  }

  /** Whether a plan may have keys: false if no thread has ever inserted one. */
  mayHaveKeys(number: number): boolean {
    return this.#inserted.has(number);
  }

  /** The origin of a plan: the time of its first call. */
  originOf(number: number, nowUs: number): number {
    const row = this.#rowOf(number);
    // 0 means that there is no origin yet.
    this.#number[0] = nowUs === 0 ? 1 : nowUs;
    this.#memory.swap(row + ORIGIN, 0, 0, this.#words[0]!, this.#words[1]!);
    return this.#memory.numbers[(row + ORIGIN) >>> 1]!;
  }

  /** Whether the key with this tick is idle, or has been for up to a tick and a few microseconds. */
  isIdle(number: number, cells: Float64Array, at: number, now: TimeCell): boolean {
    const row = this.#rowOf(number) >>> 1;
    const { numbers } = this.#memory;
    const us = (cells[at]! + 1) * numbers[row + US_PER_TICK / 2]!;
    const originUs = numbers[row + ORIGIN / 2]! + numbers[row + LATER_US / 2]!;
    return originUs + (us > 0 ? us * ROUNDED_UP : us / ROUNDED_UP) + 1 <= now[0]!;
  }

  /** Other threads have this line in their caches: a write of the same value would evict it there. */
  #write(index: number, value: number): void {
    const { numbers } = this.#memory;
    if (numbers[index] !== value) numbers[index] = value;
  }

  #rowOf(number: number): number {
    return PLANS_AT + number * PLAN_ROW;
  }
}

export function tooManyPlansError(most: number): TollgateError {
  return new TollgateError(
    "ERR_LIMITS",
    `limits: expected at most about ${most} different lists of limits in one store, got another; ` +
      "choose among fixed lists",
  );
}
