import { toMicroseconds } from "../core/duration.ts";
import type { TokenBucketLimit } from "../core/limits/limit.ts";
import type { Report } from "../core/report.ts";
import type { TimeCell } from "../core/time-cell.ts";
import type { Algorithm, Kernel } from "./kernel.ts";
import { Ticks } from "./ticks.ts";

/**
 * The generic cell rate algorithm (ITU-T I.371). One cell: the tick at which the bucket will be full again. At or
 * before now it is full; each unit taken moves it `ticks.perUnit` later.
 */
class TokenBucketKernel implements Kernel<TokenBucketLimit> {
  readonly limit: TokenBucketLimit;
  readonly size = 1;
  readonly inGroups = false;
  readonly startsEmpty: boolean;
  readonly idleTtlUs: number;
  readonly ticks: Ticks;
  /** Private copies: engines read them faster. */
  readonly #ticks: Ticks;
  readonly #unitTicks: number;
  readonly #exact: boolean;
  readonly #originUs: number;
  readonly #ticksPerUs: number;
  readonly #mostDebt: number;

  constructor(limit: TokenBucketLimit, originUs: number) {
    this.limit = limit;
    this.startsEmpty = limit.initial === "empty";
    this.idleTtlUs = this.startsEmpty ? toMicroseconds("idleTtl", limit.idleTtlMs) : 0;
    this.ticks = new Ticks(limit.capacity, limit.refill, toMicroseconds("per", limit.perMs), originUs);
    this.#ticks = this.ticks;
    this.#unitTicks = this.#ticks.perUnit;
    this.#exact = this.#ticks.exact;
    this.#originUs = this.#ticks.originUs;
    this.#ticksPerUs = this.#ticks.perUs;
    this.#mostDebt = this.#ticks.mostDebt;
  }

  conforms(cells: Float64Array, at: number, now: TimeCell, cost: number): boolean {
    const nowTicks = this.#exact ? (now[0]! - this.#originUs) * this.#ticksPerUs : this.#inexactTicks(now);
    const full = Math.max(cells[at]!, nowTicks);
    // The capacity is subtracted first: the sum of the largest debt and a cost would leave the exact integers.
    return full + (cost - this.limit.capacity) * this.#unitTicks <= nowTicks;
  }

  tryTake(cells: Float64Array, at: number, now: TimeCell, cost: number): boolean {
    const nowTicks = this.#exact ? (now[0]! - this.#originUs) * this.#ticksPerUs : this.#inexactTicks(now);
    const full = Math.max(cells[at]!, nowTicks);
    if (full + (cost - this.limit.capacity) * this.#unitTicks > nowTicks) return false;
    // A cost that conforms makes no debt, so no bound applies.
    if (cost > 0) cells[at] = full + cost * this.#unitTicks;
    return true;
  }

  /** A function of its own keeps its callers small enough to inline. */
  #inexactTicks(now: TimeCell): number {
    return this.#ticks.at(now[0]!);
  }

  take(cells: Float64Array, at: number, now: TimeCell, cost: number): void {
    if (cost === 0) return;
    const nowTicks = this.#exact ? (now[0]! - this.#originUs) * this.#ticksPerUs : this.#inexactTicks(now);
    const before = cells[at]!;
    const full = Math.max(before, nowTicks) + cost * this.#unitTicks;
    // A debt beyond the bound stays as it is: the clock may have gone back since it was made.
    cells[at] = Math.max(before, Math.min(full, nowTicks + this.#mostDebt));
  }

  refund(cells: Float64Array, at: number, now: TimeCell, cost: number): void {
    const nowTicks = this.#ticks.at(now[0]!);
    const full = cells[at]!;
    if (full > nowTicks) cells[at] = Math.max(full - cost * this.#unitTicks, nowTicks);
  }

  /**
   * The whole is given back until the bucket would have been full again, although part of it may have refilled.
   * `docs/reserving.md` says what a client can gain by that.
   */
  giveBack(cells: Float64Array, at: number, now: TimeCell, units: number, untilUs: number): void {
    if (now[0]! < untilUs) this.refund(cells, at, now, units);
  }

  /**
   * Gives back the cost's ticks less the ticks that have passed since it was taken.
   *
   * This admits nothing beyond the limit. Let F be the later of the cell and now. Let G be the value of F if the
   * revocable units had never been taken. Then F − G is at least the sum of what may still be revoked:
   * - A revocable take adds its cost to F alone. Other takes add to both.
   * - While time passes, F − G shrinks only if G is now. It then shrinks tick for tick, as each revocable rest does.
   * - A revocation subtracts as much from F as from the sum.
   *
   * So F never comes before G. Giving back the whole cost would break this, if the bucket had become full meanwhile and
   * had been taken from again.
   */
  revoke(cells: Float64Array, at: number, taken: TimeCell, now: TimeCell, cost: number): void {
    const nowTicks = this.#ticks.at(now[0]!);
    const passed = Math.max(0, nowTicks - this.#ticks.at(taken[0]!));
    const rest = cost * this.#unitTicks - passed;
    const full = cells[at]!;
    if (rest > 0 && full > nowTicks) cells[at] = Math.max(full - rest, nowTicks);
  }

  tell(cells: Float64Array, at: number, now: TimeCell, cost: number, report: Report, entry: number): void {
    const nowTicks = this.#exact ? (now[0]! - this.#originUs) * this.#ticksPerUs : this.#inexactTicks(now);
    const full = cells[at]!;
    const used = full <= nowTicks ? 0 : Math.ceil((full - nowTicks) / this.#unitTicks);
    report.used[entry] = used;
    report.resetUs[entry] = full <= nowTicks ? 0 : this.#ticks.untilUs(full, now[0]!);
    const conforming = full + (cost - this.limit.capacity) * this.#unitTicks;
    if (cost > this.limit.capacity || conforming > nowTicks) {
      this.#tellWait(full, conforming, now, cost, report, entry);
      return;
    }
    report.waitUs[entry] = 0;
    report.usedAfterWait[entry] = used;
  }

  /** `conforming` is the tick at which the cost conforms. */
  #tellWait(full: number, conforming: number, now: TimeCell, cost: number, report: Report, entry: number): void {
    const waitUs = cost > this.limit.capacity ? Number.POSITIVE_INFINITY : this.#ticks.untilUs(conforming, now[0]!);
    const left = Number.isFinite(waitUs) ? full - this.#ticks.at(now[0]! + waitUs) : 0;
    report.waitUs[entry] = waitUs;
    report.usedAfterWait[entry] = Math.ceil(Math.max(0, left) / this.#unitTicks);
  }

  isIdle(cells: Float64Array, at: number, now: TimeCell): boolean {
    return cells[at]! <= this.#ticks.at(now[0]!);
  }

  /** A full bucket was full at all times: a clock that goes back must not make it look used. */
  writeIdle(cells: Float64Array, at: number): void {
    cells[at] = Number.NEGATIVE_INFINITY;
  }

  /**
   * Whole units stay whole. The fraction of a unit is a quotient in floats, so it may be a tick or two more than it
   * was.
   */
  adoptFrom(cells: Float64Array, at: number, now: TimeCell, from: this, theirs: Float64Array, theirsAt: number): void {
    const used = Math.max(0, theirs[theirsAt]! - from.#ticks.at(now[0]!));
    const rest = used % from.#unitTicks;
    const units = (used - rest) / from.#unitTicks;
    const part = rest === 0 ? 0 : Math.floor((rest / from.#unitTicks) * this.#unitTicks) + 2;
    const ticks = units * this.#unitTicks + Math.min(part, this.#unitTicks);
    if (ticks === 0) this.writeIdle(cells, at);
    else cells[at] = this.#ticks.at(now[0]!) + Math.min(ticks, this.#mostDebt);
  }

  adoptUntil(cells: Float64Array, at: number, now: TimeCell, _units: number, leaveUs: number): void {
    cells[at] = Math.max(cells[at]!, this.#ticks.at(now[0]! + leaveUs));
  }

  rebase(cells: Float64Array, at: number, from: this): void {
    cells[at]! -= from.#ticks.at(this.#originUs);
  }
}

/** Token buckets, for the registry. */
export const tokenBucketAlgorithm: Algorithm<TokenBucketLimit> = {
  compile: (limit, originUs) => new TokenBucketKernel(limit, originUs),
  windowSeconds: fillSeconds,
};

/** The time in which an empty bucket fills. Float division would round large numbers up to one second too many. */
function fillSeconds({ capacity, refill, perMs }: TokenBucketLimit): number {
  const units = BigInt(capacity) * BigInt(Math.round(perMs * 1000));
  const unitsPerSecond = BigInt(refill) * 1_000_000n;
  return Number((units + unitsPerSecond - 1n) / unitsPerSecond);
}
