import type { Ticks } from "../../algorithms/ticks.ts";
import type { TimeCell } from "../../core/time-cell.ts";

const ORIGIN_US = 0;
const TICKS_PER_US = 1;
const NUMBERS_PER_PLAN = 2;
/** At any time, no tick is later than this: no key of such a plan is certainly in use. */
const UNKNOWN = Number.POSITIVE_INFINITY;
/** Far more than what floating point and the rounding of inexact scales can add to a tick. */
const DOUBT = 2 ** -40;

/**
 * The scales of plans whose only cell is a tick. By these, a search finds out about nearly every key in use without
 * its plan, whose objects are often not in the processor's cache.
 */
export class TickScales {
  #numbers = new Float64Array(0);

  /** Sets the scale of a plan; `undefined` for other plans. */
  set(plan: number, ticks: Ticks | undefined): void {
    const at = NUMBERS_PER_PLAN * plan;
    if (at >= this.#numbers.length) this.#grow(at + NUMBERS_PER_PLAN);
    this.#numbers[at + ORIGIN_US] = ticks?.originUs ?? 0;
    this.#numbers[at + TICKS_PER_US] = ticks?.perUs ?? UNKNOWN;
  }

  /** Whether a plan's key is certainly in use, at this time and before. Only the plan knows it of every key. */
  isInUse(plan: number, cell: number, now: TimeCell): boolean {
    const at = NUMBERS_PER_PLAN * plan;
    const tick = (now[0]! - this.#numbers[at + ORIGIN_US]!) * this.#numbers[at + TICKS_PER_US]!;
    return cell > tick + DOUBT * Math.abs(tick) + 1;
  }

  #grow(length: number): void {
    const numbers = new Float64Array(2 * length);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }
}
