import { toMicroseconds } from "../core/duration.ts";
import type { CalendarWindowLimit, FixedWindowLimit } from "../core/limits/limit.ts";
import type { Report } from "../core/report.ts";
import type { TimeCell } from "../core/time-cell.ts";
import type { Algorithm, Kernel } from "./kernel.ts";
import { LAST_EXACT } from "./ticks.ts";

const END = 0;
const USED = 1;

/** Windows that are known by their ends. */
type WindowLimit = FixedWindowLimit | CalendarWindowLimit;

/** When the window ends that a first unit opens now. */
type EndAt = (now: TimeCell) => number;

/**
 * A counter that starts again with each window. The two cells are the moment at which the current window ends, and the
 * units used in it. Without used units the first cell means nothing. If the clock goes back, the later window stays.
 */
export class FixedWindowKernel<L extends WindowLimit> implements Kernel<L> {
  readonly limit: L;
  readonly size = 2;
  readonly inGroups = false;
  readonly startsEmpty = false;
  readonly idleTtlUs = 0;
  readonly #endAt: EndAt;

  constructor(limit: L, endAt: EndAt) {
    this.limit = limit;
    this.#endAt = endAt;
  }

  writeIdle(cells: Float64Array, at: number): void {
    cells[at + END] = 0;
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
    if (used === 0) cells[at + END] = this.#endAt(now);
    cells[at + USED] = Math.min(used + cost, LAST_EXACT);
  }

  refund(cells: Float64Array, at: number, now: TimeCell, cost: number): void {
    const used = this.used(cells, at, now);
    if (used > 0) cells[at + USED] = Math.max(used - cost, 0);
  }

  /** A window is known by its end. */
  giveBack(cells: Float64Array, at: number, now: TimeCell, units: number, untilUs: number): void {
    if (cells[at + END] === untilUs) this.refund(cells, at, now, units);
  }

  used(cells: Float64Array, at: number, now: TimeCell): number {
    return cells[at + END]! <= now[0]! ? 0 : cells[at + USED]!;
  }

  tell(cells: Float64Array, at: number, now: TimeCell, cost: number, report: Report, entry: number): void {
    const { capacity } = this.limit;
    const used = this.used(cells, at, now);
    const leftUs = used === 0 ? 0 : cells[at + END]! - now[0]!;
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
    cells[at + END] = theirs[theirsAt + END]!;
    cells[at + USED] = theirs[theirsAt + USED]!;
  }

  adoptUntil(cells: Float64Array, at: number, now: TimeCell, units: number, leaveUs: number): void {
    cells[at + END] = now[0]! + leaveUs;
    cells[at + USED] = units;
  }
}

/** Fixed windows, for the registry. */
export const fixedWindowAlgorithm: Algorithm<FixedWindowLimit> = {
  compile: (limit) => {
    const windowUs = toMicroseconds("window", limit.windowMs);
    const endAt: EndAt =
      limit.anchor === "clock" ? (now) => (Math.floor(now[0]! / windowUs) + 1) * windowUs : (now) => now[0]! + windowUs;
    return new FixedWindowKernel(limit, endAt);
  },
  windowSeconds: ({ windowMs }) => Math.ceil(windowMs / 1000),
};
