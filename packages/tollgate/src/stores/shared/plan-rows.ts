import { TollgateError } from "../../core/errors.ts";
import { MOST_PLANS, PLAN_ROW, PLANS_AT } from "./memory-layout.ts";
import type { SharedMemory } from "./shared-memory.ts";

const ORIGIN = 2;
const US_PER_TICK = 4;
const LATER_US = 6;

/** So many rows are looked at, one after the other. */
const MOST_LOOKS = 4096;
/** A moment by ticks is told this much later than it may be: rounding must not make it earlier. */
const ROUNDED_UP = 1 + 2 ** -40;

/** What threads have to agree on about a plan: its number, and from where its ticks count. */
export class PlanRows {
  readonly #memory: SharedMemory;
  /** A number, as the words that it is in memory. */
  readonly #number = new Float64Array(1);
  readonly #words = new Int32Array(this.#number.buffer);

  constructor(memory: SharedMemory) {
    this.#memory = memory;
  }

  /**
   * The number of the plan that a hash names, which is a new one for the first who asks.
   *
   * @throws TollgateError `ERR_LIMITS` when there are too many plans.
   */
  numberOf(low: number, high: number): number {
    const name = low === 0 && high === 0 ? 1 : low;
    for (let look = 0; look < MOST_LOOKS; look += 1) {
      const number = ((low >>> 0) + look) % MOST_PLANS;
      const row = this.#rowOf(number);
      if (this.#memory.swap(row, 0, 0, name, high) || this.#memory.isStill(row, name, high)) return number;
    }
    throw new TollgateError(
      "ERR_LIMITS",
      `limits: expected at most about ${MOST_PLANS} different lists of limits in one shared store, got another; choose among fixed lists`,
    );
  }

  /**
   * Says how long a tick of a plan takes, and how much later than `ticks × usPerTick` after the origin its keys are
   * idle. Every thread says the same, before it counts a key.
   */
  describe(number: number, usPerTick: number, laterUs: number): void {
    this.#note((this.#rowOf(number) + US_PER_TICK) >>> 1, usPerTick);
    this.#note((this.#rowOf(number) + LATER_US) >>> 1, laterUs);
  }

  /** The origin of a plan: the moment of the first call. */
  originOf(number: number, nowUs: number): number {
    const row = this.#rowOf(number);
    // No number is 0: that one stands for none.
    this.#number[0] = nowUs === 0 ? 1 : nowUs;
    this.#memory.swap(row + ORIGIN, 0, 0, this.#words[0]!, this.#words[1]!);
    return this.#memory.numbers[(row + ORIGIN) >>> 1]!;
  }

  /** When a key of a plan whose bucket is full at this tick is idle, or up to a tick and a few microseconds later. */
  usOf(number: number, tick: number): number {
    const row = this.#rowOf(number) >>> 1;
    const { numbers } = this.#memory;
    const us = (tick + 1) * numbers[row + US_PER_TICK / 2]!;
    return numbers[row + ORIGIN / 2]! + (us > 0 ? us * ROUNDED_UP : us / ROUNDED_UP) + 1 + numbers[row + LATER_US / 2]!;
  }

  /** Threads read it: what is there already is not written again. */
  #note(index: number, value: number): void {
    const { numbers } = this.#memory;
    if (numbers[index] !== value) numbers[index] = value;
  }

  #rowOf(number: number): number {
    return PLANS_AT + number * PLAN_ROW;
  }
}
