import { toMicroseconds } from "../core/duration.ts";
import type { SlidingWindowLimit } from "../core/limits/limit.ts";
import type { Report } from "../core/report.ts";
import { createTimeCell, type TimeCell } from "../core/time-cell.ts";
import { GroupRing, LAST, NEWEST_OPENED, OPENED_EVER, TOTAL } from "./group-ring.ts";
import type { Algorithm, Kernel } from "./kernel.ts";
import { LAST_EXACT } from "./ticks.ts";

/**
 * A log of groups of units in a ring. A unit joins the newest group if that opened less than `resolution` ago; a group
 * leaves `window` after its last unit, so no window of any position holds more than the limit.
 */
class SlidingWindowKernel implements Kernel<SlidingWindowLimit> {
  readonly limit: SlidingWindowLimit;
  readonly size: number;
  readonly inGroups = true;
  readonly startsEmpty = false;
  readonly idleTtlUs = 0;
  readonly #windowUs: number;
  readonly #resolutionUs: number;
  readonly #ring: GroupRing;
  readonly #afterWait = createTimeCell();

  constructor(limit: SlidingWindowLimit) {
    this.limit = limit;
    this.#windowUs = toMicroseconds("window", limit.windowMs);
    // Time comes in whole microseconds, so units of one microsecond leave together in any case.
    this.#resolutionUs = limit.resolutionMs === 0 ? 1 : toMicroseconds("resolution", limit.resolutionMs);
    const groups = Math.min(limit.capacity, Math.ceil(this.#windowUs / this.#resolutionUs));
    this.#ring = new GroupRing(this.#windowUs, groups);
    this.size = this.#ring.size;
  }

  writeIdle(cells: Float64Array, at: number): void {
    cells.fill(0, at, at + this.size);
  }

  conforms(cells: Float64Array, at: number, now: TimeCell, cost: number): boolean {
    return this.#ring.used(cells, at, now) + cost <= this.limit.capacity;
  }

  tryTake(cells: Float64Array, at: number, now: TimeCell, cost: number): boolean {
    if (!this.conforms(cells, at, now, cost)) return false;
    this.take(cells, at, now, cost);
    return true;
  }

  take(cells: Float64Array, at: number, now: TimeCell, cost: number): void {
    if (cost === 0) return;
    this.#ring.restartIfIdle(cells, at, now);
    this.#ring.keepTotalsExact(cells, at, now, cost);
    const groups = cells[at + OPENED_EVER]!;
    const newest = groups - 1;
    const total = Math.min((groups === 0 ? 0 : this.#ring.total(cells, at, newest)) + cost, LAST_EXACT);
    // A clock that went back must not put units before those that are already there.
    const comesUs = groups === 0 ? now[0]! : Math.max(now[0]!, cells[this.#ring.place(at, newest) + LAST]!);
    const joins = groups > 0 && comesUs - cells[at + NEWEST_OPENED]! < this.#resolutionUs;
    const mayOpen = !joins && (this.#ring.isEmpty(cells, at, newest) || this.#ring.hasPlace(cells, at, now));
    const group = mayOpen && !this.#ring.isEmpty(cells, at, newest) ? groups : newest;
    const place = this.#ring.place(at, group);
    cells[place + LAST] = comesUs;
    cells[place + TOTAL] = total;
    if (!mayOpen) return;
    cells[at + OPENED_EVER] = group + 1;
    cells[at + NEWEST_OPENED] = comesUs;
  }

  /**
   * Removes the newest units, because a caller most likely refunds its own last call. One of the emptied groups stays,
   * to keep its opening time. The next unit that does not join it takes its place.
   */
  refund(cells: Float64Array, at: number, now: TimeCell, cost: number): void {
    const used = this.#ring.used(cells, at, now);
    if (cost >= used) {
      // With nothing in use the groups stay: a clock that goes back may show them again.
      if (used > 0) cells[at + OPENED_EVER] = 0;
      return;
    }
    const newest = cells[at + OPENED_EVER]! - 1;
    const lastUs = cells[this.#ring.place(at, newest) + LAST]!;
    const total = this.#ring.total(cells, at, newest) - cost;
    const filled = this.#ring.firstReaching(cells, at, total);
    cells[this.#ring.place(at, filled) + TOTAL] = total;
    if (filled === newest) return;
    this.#ring.write(cells, at, filled + 1, lastUs, total);
    this.#ring.dropAfter(cells, at, filled + 1);
  }

  /** Removes units of the group in which they are: the first that leaves no sooner than they. */
  giveBack(cells: Float64Array, at: number, now: TimeCell, units: number, untilUs: number): void {
    const groups = cells[at + OPENED_EVER]!;
    if (now[0]! >= untilUs || groups === 0) return;
    const group = this.#ring.firstStaying(cells, at, createTimeCell(untilUs - 1));
    if (group === groups || !this.#mayHave(cells, at, group, untilUs - this.#windowUs)) return;
    const given = Math.min(units, this.#ring.unitsOf(cells, at, group));
    if (given === 0) return;
    // A key without units is idle.
    if (given === this.#ring.used(cells, at, now)) cells[at + OPENED_EVER] = 0;
    else this.#ring.removeFrom(cells, at, group, given);
  }

  /**
   * Whether a group may have units that came at a moment. Otherwise their own group is gone, and its units were given
   * back or had left before the clock went back. Only a full ring extends its newest group beyond the resolution.
   */
  #mayHave(cells: Float64Array, at: number, group: number, cameUs: number): boolean {
    if (cells[this.#ring.place(at, group) + LAST]! - cameUs < this.#resolutionUs) return true;
    return group === cells[at + OPENED_EVER]! - 1 && cells[at + NEWEST_OPENED]! <= cameUs;
  }

  tell(cells: Float64Array, at: number, now: TimeCell, cost: number, report: Report, entry: number): void {
    const { capacity } = this.limit;
    const used = this.#ring.used(cells, at, now);
    report.used[entry] = used;
    report.resetUs[entry] = used === 0 ? 0 : this.#ring.untilLeftUs(cells, at, now, this.#ring.newestFilled(cells, at));
    report.waitUs[entry] = cost > capacity ? Number.POSITIVE_INFINITY : 0;
    report.usedAfterWait[entry] = cost > capacity ? 0 : used;
    if (used + cost > capacity && cost <= capacity) this.#tellWait(cells, at, now, cost, report, entry);
  }

  #tellWait(cells: Float64Array, at: number, now: TimeCell, cost: number, report: Report, entry: number): void {
    const mustLeave = this.#ring.total(cells, at, cells[at + OPENED_EVER]! - 1) - (this.limit.capacity - cost);
    const waitUs = this.#ring.untilLeftUs(cells, at, now, this.#ring.firstReaching(cells, at, mustLeave));
    this.#afterWait[0] = now[0]! + waitUs;
    report.waitUs[entry] = waitUs;
    report.usedAfterWait[entry] = this.#ring.used(cells, at, this.#afterWait);
  }

  isIdle(cells: Float64Array, at: number, now: TimeCell): boolean {
    return this.#ring.haveAllLeft(cells, at, now);
  }

  /** Groups of the same resolution stay as they are, if the ring has places for them. */
  adoptFrom(cells: Float64Array, at: number, now: TimeCell, from: this, theirs: Float64Array, theirsAt: number): void {
    this.writeIdle(cells, at);
    const isSameLog = from.#resolutionUs === this.#resolutionUs;
    if (!(isSameLog && this.#ring.adopt(cells, at, now, from.#ring, theirs, theirsAt))) {
      this.#takeGroups(cells, at, now, from, theirs, theirsAt);
    }
  }

  /** Takes the units of each group that counts, at the time of its last unit. */
  #takeGroups(
    cells: Float64Array,
    at: number,
    now: TimeCell,
    from: this,
    theirs: Float64Array,
    theirsAt: number,
  ): void {
    const moment = createTimeCell();
    const groups = theirs[theirsAt + OPENED_EVER]!;
    let before = groups === 0 ? 0 : from.#ring.totalLeft(theirs, theirsAt, now);
    for (let group = from.#ring.oldest(groups); group < groups; group += 1) {
      const total = from.#ring.total(theirs, theirsAt, group);
      if (total <= before) continue;
      moment[0] = theirs[from.#ring.place(theirsAt, group) + LAST]!;
      this.take(cells, at, moment, total - before);
      before = total;
    }
  }

  adoptUntil(cells: Float64Array, at: number, now: TimeCell, units: number, leaveUs: number): void {
    this.take(cells, at, createTimeCell(now[0]! + leaveUs - this.#windowUs), units);
  }
}

/** Sliding windows, for the registry. */
export const slidingWindowAlgorithm: Algorithm<SlidingWindowLimit> = {
  compile: (limit) => new SlidingWindowKernel(limit),
  windowSeconds: ({ windowMs }) => Math.ceil(windowMs / 1000),
};
