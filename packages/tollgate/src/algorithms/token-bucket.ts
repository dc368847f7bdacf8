import { toMicroseconds } from "../core/duration.ts";
import type { TokenBucketLimit } from "../core/limits/limit.ts";
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
  readonly #mostDebt: number;

  constructor(limit: TokenBucketLimit, originUs: number) {
    this.limit = limit;
    this.#ticks = new Ticks(limit.capacity, limit.refill, toMicroseconds("per", limit.perMs), originUs);
    this.#unitTicks = this.#ticks.perUnit;
    this.#mostDebt = this.#ticks.mostDebt;
  }

  init(cells: Float64Array, at: number, nowUs: number): void {
    const { capacity, initial } = this.limit;
    // Full since always: a clock that goes back must not make it look used.
    cells[at] = initial === "full" ? Number.NEGATIVE_INFINITY : this.#ticks.at(nowUs) + capacity * this.#unitTicks;
  }

  conforms(cells: Float64Array, at: number, nowUs: number, cost: number): boolean {
    const now = this.#ticks.at(nowUs);
    const full = Math.max(cells[at]!, now);
    // Cost less capacity first: the sum of a ceiling debt and a cost would leave the exact integers.
    return full + (cost - this.limit.capacity) * this.#unitTicks <= now;
  }

  admit(cells: Float64Array, at: number, nowUs: number, cost: number): boolean {
    const now = this.#ticks.at(nowUs);
    const full = Math.max(cells[at]!, now);
    if (full + (cost - this.limit.capacity) * this.#unitTicks > now) return false;
    // What conforms is within its capacity: no debt.
    if (cost > 0) cells[at] = full + cost * this.#unitTicks;
    return true;
  }

  take(cells: Float64Array, at: number, nowUs: number, cost: number): void {
    if (cost === 0) return;
    const now = this.#ticks.at(nowUs);
    const before = cells[at]!;
    const full = Math.max(before, now) + cost * this.#unitTicks;
    // Where a debt ends it stays what it is: the clock may have gone back since it was made.
    cells[at] = Math.max(before, Math.min(full, now + this.#mostDebt));
  }

  giveBack(cells: Float64Array, at: number, nowUs: number, cost: number): void {
    const now = this.#ticks.at(nowUs);
    const full = cells[at]!;
    if (full > now) cells[at] = Math.max(full - cost * this.#unitTicks, now);
  }

  waitUs(cells: Float64Array, at: number, nowUs: number, cost: number): number {
    if (cost > this.limit.capacity) return Number.POSITIVE_INFINITY;
    return this.#ticks.untilUs(cells[at]! + (cost - this.limit.capacity) * this.#unitTicks, nowUs);
  }

  used(cells: Float64Array, at: number, nowUs: number): number {
    return Math.ceil(Math.max(0, cells[at]! - this.#ticks.at(nowUs)) / this.#unitTicks);
  }

  resetUs(cells: Float64Array, at: number, nowUs: number): number {
    return this.#ticks.untilUs(cells[at]!, nowUs);
  }

  rebase(cells: Float64Array, at: number, from: this): void {
    cells[at] = this.#ticks.translate(cells[at]!, from.#ticks);
  }
}
