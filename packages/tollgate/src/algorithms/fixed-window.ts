import { toMicroseconds } from "../core/duration.ts";
import type { FixedWindowLimit } from "../core/limits/limit.ts";
import type { Report } from "../core/report.ts";
import type { TimeCell } from "../core/time-cell.ts";
import type { Algorithm, Kernel } from "./kernel.ts";
import { LAST_EXACT } from "./ticks.ts";

const OPENED = 0;
const USED = 1;

/**
 * A counter that starts again with each window. The two cells are the moment at which the current window opened, and
 * the units used in it. Without used units the first cell means nothing. If the clock goes back, the later window
 * stays.
 */
class FixedWindowKernel implements Kernel<FixedWindowLimit> {
  readonly limit: FixedWindowLimit;
  readonly size = 2;
  readonly inGroups = false;
  readonly startsEmpty = false;
  readonly idleTtlUs = 0;
  readonly #windowUs: number;

  constructor(limit: FixedWindowLimit) {
    this.limit = limit;
    this.#windowUs = toMicroseconds("window", limit.windowMs);
  }

  writeIdle(cells: Float64Array, at: number): void {
    cells[at + OPENED] = 0;
    cells[at + USED] = 0;
  }

  conforms(cells: Float64Array, at: number, now: TimeCell, cost: number): boolean {
    return this.used(cells, at, now) + cost <= this.limit.capacity;
  }

  tryTake(cells: Float64Array, at: number, now: TimeCell, cost: number): boolean {
    if (!this.conforms(cells, at, now, cost)) return false;
    this.take(cells, at, now, cost);
    return true;
  }

  take(cells: Float64Array, at: number, now: TimeCell, cost: number): void {
    if (cost === 0) return;
    const used = this.used(cells, at, now);
    if (used === 0) cells[at + OPENED] = this.#openingAt(now);
    cells[at + USED] = Math.min(used + cost, LAST_EXACT);
  }

  refund(cells: Float64Array, at: number, now: TimeCell, cost: number): void {
    const used = this.used(cells, at, now);
    if (used > 0) cells[at + USED] = Math.max(used - cost, 0);
  }

  /** A window is known by its end. */
  giveBack(cells: Float64Array, at: number, now: TimeCell, units: number, untilUs: number): void {
    if (cells[at + OPENED]! + this.#windowUs === untilUs) this.refund(cells, at, now, units);
  }

  used(cells: Float64Array, at: number, now: TimeCell): number {
    return cells[at + OPENED]! + this.#windowUs <= now[0]! ? 0 : cells[at + USED]!;
  }

  tell(cells: Float64Array, at: number, now: TimeCell, cost: number, report: Report, entry: number): void {
    const { capacity } = this.limit;
    const used = this.used(cells, at, now);
    const leftUs = used === 0 ? 0 : cells[at + OPENED]! + this.#windowUs - now[0]!;
    const conforms = used + cost <= capacity;
    report.used[entry] = used;
    report.resetUs[entry] = leftUs;
    report.waitUs[entry] = conforms ? 0 : cost > capacity ? Number.POSITIVE_INFINITY : leftUs;
    report.usedAfterWait[entry] = conforms ? used : 0;
  }

  isIdle(cells: Float64Array, at: number, now: TimeCell): boolean {
    return this.used(cells, at, now) === 0;
  }

  /** The open window ends when it would have. The next one opens by this limit's anchor. */
  adoptFrom(
    cells: Float64Array,
    at: number,
    _now: TimeCell,
    _from: this,
    theirs: Float64Array,
    theirsAt: number,
  ): void {
    cells[at + OPENED] = theirs[theirsAt + OPENED]!;
    cells[at + USED] = theirs[theirsAt + USED]!;
  }

  adoptUntil(cells: Float64Array, at: number, now: TimeCell, units: number, leaveUs: number): void {
    cells[at + OPENED] = now[0]! + leaveUs - this.#windowUs;
    cells[at + USED] = units;
  }

  #openingAt(now: TimeCell): number {
    return this.limit.anchor === "clock" ? Math.floor(now[0]! / this.#windowUs) * this.#windowUs : now[0]!;
  }
}

/** Fixed windows, for the registry. */
export const fixedWindowAlgorithm: Algorithm<FixedWindowLimit> = {
  compile: (limit) => new FixedWindowKernel(limit),
  windowSeconds: ({ windowMs }) => Math.ceil(windowMs / 1000),
};
