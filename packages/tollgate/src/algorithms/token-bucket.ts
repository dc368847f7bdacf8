import { toMicroseconds } from "../core/duration.ts";
import type { TokenBucketLimit } from "../core/limits/limit.ts";
import type { Kernel } from "./kernel.ts";
import { LAST_EXACT, Ticks } from "./ticks.ts";

/**
 * The generic cell rate algorithm (ITU-T I.371). One cell: the tick at which the bucket will be full again. At or before
 * now it is full; each unit taken moves it `ticks.perUnit` later.
 */
export class TokenBucketKernel implements Kernel<TokenBucketLimit> {
  readonly limit: TokenBucketLimit;
  readonly size = 1;
  readonly startsEmpty: boolean;
  readonly #ticks: Ticks;
  readonly #unitTicks: number;
  readonly #capacityTicks: number;
  readonly #idleTtlUs: number;

  constructor(limit: TokenBucketLimit, originUs: number) {
    this.limit = limit;
    this.startsEmpty = limit.initial === "empty";
    this.#ticks = new Ticks(limit.capacity, limit.refill, toMicroseconds("per", limit.perMs), originUs);
    this.#unitTicks = this.#ticks.perUnit;
    this.#capacityTicks = limit.capacity * this.#unitTicks;
    this.#idleTtlUs = this.startsEmpty ? toMicroseconds("idleTtl", limit.idleTtlMs) : 0;
  }

  init(cells: Float64Array, at: number, nowUs: number): void {
    cells[at] = this.#ticks.at(nowUs) + (this.startsEmpty ? this.#capacityTicks : 0);
  }

  conforms(cells: Float64Array, at: number, nowUs: number, cost: number): boolean {
    const now = this.#ticks.at(nowUs);
    const full = Math.max(cells[at]!, now);
    return full + cost * this.#unitTicks - this.#capacityTicks <= now;
  }

  take(cells: Float64Array, at: number, nowUs: number, cost: number): void {
    if (cost === 0) return;
    const full = Math.max(cells[at]!, this.#ticks.at(nowUs)) + cost * this.#unitTicks;
    cells[at] = Math.min(full, LAST_EXACT);
  }

  giveBack(cells: Float64Array, at: number, nowUs: number, cost: number): void {
    const now = this.#ticks.at(nowUs);
    const full = cells[at]!;
    if (full > now) cells[at] = Math.max(full - cost * this.#unitTicks, now);
  }

  waitUs(cells: Float64Array, at: number, nowUs: number, cost: number): number {
    if (cost > this.limit.capacity) return Number.POSITIVE_INFINITY;
    const conformsFrom = cells[at]! + cost * this.#unitTicks - this.#capacityTicks;
    return this.#untilUs(conformsFrom, nowUs);
  }

  used(cells: Float64Array, at: number, nowUs: number): number {
    return Math.ceil(Math.max(0, cells[at]! - this.#ticks.at(nowUs)) / this.#unitTicks);
  }

  resetUs(cells: Float64Array, at: number, nowUs: number): number {
    return this.#untilUs(cells[at]!, nowUs);
  }

  expireUs(cells: Float64Array, at: number, nowUs: number): number {
    return this.#untilUs(cells[at]!, nowUs - this.#idleTtlUs);
  }

  rebase(cells: Float64Array, at: number, from: this): void {
    cells[at] = this.#ticks.translate(cells[at]!, from.#ticks);
  }

  #untilUs(tick: number, nowUs: number): number {
    return tick <= this.#ticks.at(nowUs) ? 0 : this.#ticks.usOf(tick) - nowUs;
  }
}
