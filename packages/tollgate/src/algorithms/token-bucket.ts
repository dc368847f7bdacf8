import { toMicroseconds } from "../core/duration.ts";
import type { TokenBucketLimit } from "../core/limits/limit.ts";
import type { TimeCell } from "../core/time-cell.ts";
import type { Kernel } from "./kernel.ts";
import { Ticks } from "./ticks.ts";

/**
 * The generic cell rate algorithm (ITU-T I.371). One cell: the tick at which the bucket will be full again. At or before
 * now it is full; each unit taken moves it `ticks.perUnit` later.
 */
export class TokenBucketKernel implements Kernel<TokenBucketLimit> {
  readonly limit: TokenBucketLimit;
  readonly size = 1;
  readonly #ticks: Ticks;
  readonly #unitTicks: number;
  /** Of exact ticks. */
  readonly #exact: boolean;
  readonly #originUs: number;
  readonly #ticksPerUs: number;
  readonly #mostDebt: number;

  constructor(limit: TokenBucketLimit, originUs: number) {
    this.limit = limit;
    this.#ticks = new Ticks(limit.capacity, limit.refill, toMicroseconds("per", limit.perMs), originUs);
    this.#unitTicks = this.#ticks.perUnit;
    this.#exact = this.#ticks.exact;
    this.#originUs = this.#ticks.originUs;
    this.#ticksPerUs = this.#ticks.perUs;
    this.#mostDebt = this.#ticks.mostDebt;
  }

  init(cells: Float64Array, at: number, now: TimeCell): void {
    const { capacity, initial } = this.limit;
    // Full since always: a clock that goes back must not make it look used.
    cells[at] = initial === "full" ? Number.NEGATIVE_INFINITY : this.#ticks.at(now[0]!) + capacity * this.#unitTicks;
  }

  conforms(cells: Float64Array, at: number, now: TimeCell, cost: number): boolean {
    this.#ticks.note(now);
    const nowTicks = this.#ticks.noted[0]!;
    const full = Math.max(cells[at]!, nowTicks);
    // Cost less capacity first: the sum of a ceiling debt and a cost would leave the exact integers.
    return full + (cost - this.limit.capacity) * this.#unitTicks <= nowTicks;
  }

  admit(cells: Float64Array, at: number, now: TimeCell, cost: number): boolean {
    let nowTicks = (now[0]! - this.#originUs) * this.#ticksPerUs;
    if (!this.#exact) {
      this.#ticks.note(now);
      nowTicks = this.#ticks.noted[0]!;
    }
    const full = Math.max(cells[at]!, nowTicks);
    if (full + (cost - this.limit.capacity) * this.#unitTicks > nowTicks) return false;
    // What conforms is within its capacity: no debt.
    if (cost > 0) cells[at] = full + cost * this.#unitTicks;
    return true;
  }

  take(cells: Float64Array, at: number, now: TimeCell, cost: number): void {
    if (cost === 0) return;
    this.#ticks.note(now);
    const nowTicks = this.#ticks.noted[0]!;
    const before = cells[at]!;
    const full = Math.max(before, nowTicks) + cost * this.#unitTicks;
    // Where a debt ends it stays what it is: the clock may have gone back since it was made.
    cells[at] = Math.max(before, Math.min(full, nowTicks + this.#mostDebt));
  }

  refund(cells: Float64Array, at: number, now: TimeCell, cost: number): void {
    const nowTicks = this.#ticks.at(now[0]!);
    const full = cells[at]!;
    if (full > nowTicks) cells[at] = Math.max(full - cost * this.#unitTicks, nowTicks);
  }

  /**
   * At most the cost's ticks less those that have passed since it was taken. Let F be the later of the cell and now,
   * and G what F would be if no units were ever taken that have to be given back. Whatever such units could still be
   * given back by this rule, F − G is no less than their sum: taking them adds their cost to F alone; what others take
   * adds to both; while time passes F − G shrinks only where G is now itself, tick for tick, and each of the rests
   * shrinks as fast; and giving back takes as much from F as from the sum. So F never comes before G. (Giving back the
   * whole cost does where the bucket has become full meanwhile, and was taken from again.)
   * A caller's own refund that comes late admits again what had refilled meanwhile, with or without this.
   */
  revoke(cells: Float64Array, at: number, taken: TimeCell, now: TimeCell, cost: number): void {
    const nowTicks = this.#ticks.at(now[0]!);
    const passed = Math.max(0, nowTicks - this.#ticks.at(taken[0]!));
    const rest = cost * this.#unitTicks - passed;
    const full = cells[at]!;
    if (rest > 0 && full > nowTicks) cells[at] = Math.max(full - rest, nowTicks);
  }

  waitUs(cells: Float64Array, at: number, now: TimeCell, cost: number): number {
    if (cost > this.limit.capacity) return Number.POSITIVE_INFINITY;
    return this.#ticks.untilUs(cells[at]! + (cost - this.limit.capacity) * this.#unitTicks, now[0]!);
  }

  used(cells: Float64Array, at: number, now: TimeCell): number {
    return Math.ceil(Math.max(0, cells[at]! - this.#ticks.at(now[0]!)) / this.#unitTicks);
  }

  isIdle(cells: Float64Array, at: number, now: TimeCell): boolean {
    this.#ticks.note(now);
    return cells[at]! <= this.#ticks.noted[0]!;
  }

  resetUs(cells: Float64Array, at: number, now: TimeCell): number {
    return this.#ticks.untilUs(cells[at]!, now[0]!);
  }

  putOff(expiry: TimeCell, cells: Float64Array, at: number, now: TimeCell): void {
    this.#ticks.note(now);
    if (cells[at]! > this.#ticks.noted[0]!) this.#ticks.putOff(expiry, cells, at);
  }

  rebase(cells: Float64Array, at: number, from: this): void {
    cells[at] = this.#ticks.translate(cells[at]!, from.#ticks);
  }
}
