import { toMicroseconds } from "../core/duration.ts";
import type { SlidingWindowLimit } from "../core/limits/limit.ts";
import type { TimeCell } from "../core/time-cell.ts";
import type { Algorithm, Kernel } from "./kernel.ts";
import { LAST_EXACT } from "./ticks.ts";

const OPENED_EVER = 0;
const NEWEST_OPENED = 1;
const RING = 2;
/** Each place of the ring has the time of the group's last unit, and the running total up to it. */
const LAST = 0;
const TOTAL = 1;
const PLACE = 2;

/**
 * A log of groups of units in a ring. A unit joins the newest group if that opened less than `resolution` ago; a group
 * leaves `window` after its last unit, so no window of any position holds more than the limit. Running totals make the
 * units in use one subtraction: the newest total less that of the last group that left, found by binary search.
 */
class SlidingWindowKernel implements Kernel<SlidingWindowLimit> {
  readonly limit: SlidingWindowLimit;
  readonly size: number;
  readonly startsEmpty = false;
  readonly idleTtlUs = 0;
  readonly #windowUs: number;
  readonly #resolutionUs: number;
  readonly #places: number;

  constructor(limit: SlidingWindowLimit) {
    this.limit = limit;
    this.#windowUs = toMicroseconds("window", limit.windowMs);
    // Time comes in whole microseconds, so units of one microsecond leave together in any case.
    this.#resolutionUs = limit.resolutionMs === 0 ? 1 : toMicroseconds("resolution", limit.resolutionMs);
    const groups = Math.min(limit.capacity, Math.ceil(this.#windowUs / this.#resolutionUs));
    // One more counts while the oldest begins before the window. The last place is for the total to subtract from.
    this.#places = groups + 2;
    this.size = RING + PLACE * this.#places;
  }

  init(cells: Float64Array, at: number): void {
    cells.fill(0, at, at + this.size);
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
    this.#restartIfIdle(cells, at, now);
    this.#keepTotalsExact(cells, at, now, cost);
    const groups = cells[at + OPENED_EVER]!;
    const newest = groups - 1;
    const total = Math.min((groups === 0 ? 0 : this.#total(cells, at, newest)) + cost, LAST_EXACT);
    // A clock that went back must not put units before those that are already there.
    const comesUs = groups === 0 ? now[0]! : Math.max(now[0]!, cells[this.#place(at, newest) + LAST]!);
    const joins = groups > 0 && comesUs - cells[at + NEWEST_OPENED]! < this.#resolutionUs;
    const mayOpen = !joins && (this.#isEmpty(cells, at, newest) || this.#hasPlace(cells, at, now));
    const group = mayOpen && !this.#isEmpty(cells, at, newest) ? groups : newest;
    const place = this.#place(at, group);
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
    const used = this.used(cells, at, now);
    if (cost >= used) {
      // With nothing in use the groups stay: a clock that goes back may show them again.
      if (used > 0) cells[at + OPENED_EVER] = 0;
      return;
    }
    const newest = cells[at + OPENED_EVER]! - 1;
    const lastUs = cells[this.#place(at, newest) + LAST]!;
    const total = this.#total(cells, at, newest) - cost;
    const filled = this.#firstReaching(cells, at, total);
    cells[this.#place(at, filled) + TOTAL] = total;
    if (filled === newest) return;
    this.#write(cells, at, filled + 1, lastUs, total);
    this.#dropAfter(cells, at, filled + 1);
  }

  waitUs(cells: Float64Array, at: number, now: TimeCell, cost: number): number {
    if (cost > this.limit.capacity) return Number.POSITIVE_INFINITY;
    if (this.conforms(cells, at, now, cost)) return 0;
    const groups = cells[at + OPENED_EVER]!;
    const mustLeave = this.#total(cells, at, groups - 1) - (this.limit.capacity - cost);
    return this.#untilLeftUs(cells, at, now, mustLeave);
  }

  used(cells: Float64Array, at: number, now: TimeCell): number {
    const groups = cells[at + OPENED_EVER]!;
    if (groups === 0) return 0;
    return this.#total(cells, at, groups - 1) - this.#totalLeft(cells, at, now);
  }

  isIdle(cells: Float64Array, at: number, now: TimeCell): boolean {
    return this.used(cells, at, now) === 0;
  }

  resetUs(cells: Float64Array, at: number, now: TimeCell): number {
    if (this.used(cells, at, now) === 0) return 0;
    return this.#untilLeftUs(cells, at, now, this.#total(cells, at, cells[at + OPENED_EVER]! - 1));
  }

  extendExpiry(expiry: TimeCell, cells: Float64Array, at: number): void {
    const groups = cells[at + OPENED_EVER]!;
    if (groups === 0) return;
    const filled = this.#isEmpty(cells, at, groups - 1) ? groups - 2 : groups - 1;
    expiry[0] = Math.max(expiry[0]!, cells[this.#place(at, filled) + LAST]! + this.#windowUs);
  }

  /** Its cells are moments since the epoch, so they have no origin. */
  rebase(): void {}

  /** The wait until the first group whose running total reaches `total` has left. */
  #untilLeftUs(cells: Float64Array, at: number, now: TimeCell, total: number): number {
    const last = this.#firstReaching(cells, at, total);
    return Math.max(0, cells[this.#place(at, last) + LAST]! + this.#windowUs - now[0]!);
  }

  /** The first group whose running total reaches `total`, which the newest group's does. */
  #firstReaching(cells: Float64Array, at: number, total: number): number {
    const groups = cells[at + OPENED_EVER]!;
    let from = this.#oldest(groups);
    let until = groups - 1;
    while (from < until) {
      const middle = Math.floor((from + until) / 2);
      if (this.#total(cells, at, middle) >= total) until = middle;
      else from = middle + 1;
    }
    return from;
  }

  /** The running total of the last group that left. Once the ring is full, its oldest group has left for good. */
  #totalLeft(cells: Float64Array, at: number, now: TimeCell): number {
    const groups = cells[at + OPENED_EVER]!;
    let from = groups > this.#places ? groups - this.#places + 1 : 0;
    let until = groups;
    while (from < until) {
      const middle = Math.floor((from + until) / 2);
      if (cells[this.#place(at, middle) + LAST]! + this.#windowUs <= now[0]!) from = middle + 1;
      else until = middle;
    }
    return from === 0 ? 0 : this.#total(cells, at, from - 1);
  }

  /** Whether a group may open. Afterwards the oldest group in the ring must have left, to subtract its total. */
  #hasPlace(cells: Float64Array, at: number, now: TimeCell): boolean {
    const groups = cells[at + OPENED_EVER]!;
    if (groups < this.#places) return true;
    return cells[this.#place(at, groups - this.#places + 1) + LAST]! + this.#windowUs <= now[0]!;
  }

  /** Drops the groups after `newest`, which are empty. Amortised O(1): a call opened each of them. */
  #dropAfter(cells: Float64Array, at: number, newest: number): void {
    const groups = cells[at + OPENED_EVER]!;
    if (newest === groups - 1) return;
    if (groups <= this.#places) {
      cells[at + OPENED_EVER] = newest + 1;
      return;
    }
    // The ring is full: the freed places become its oldest part, which is only a total to subtract.
    const total = this.#total(cells, at, groups - this.#places);
    for (let group = newest + 1; group <= groups; group += 1) {
      this.#write(cells, at, group, Number.NEGATIVE_INFINITY, total);
    }
    cells[at + OPENED_EVER] = newest + 1 + this.#places;
  }

  /** A key whose units have all left is idle: it has to decide as one that was dropped meanwhile. */
  #restartIfIdle(cells: Float64Array, at: number, now: TimeCell): void {
    const groups = cells[at + OPENED_EVER]!;
    if (groups === 0) return;
    // Only the newest group can be empty.
    const filled = this.#isEmpty(cells, at, groups - 1) ? groups - 2 : groups - 1;
    if (cells[this.#place(at, filled) + LAST]! + this.#windowUs <= now[0]!) cells[at + OPENED_EVER] = 0;
  }

  /** Whether a refund took all of a group's units; it was not the first group then. */
  #isEmpty(cells: Float64Array, at: number, group: number): boolean {
    return group > 0 && this.#total(cells, at, group) === this.#total(cells, at, group - 1);
  }

  /** Starts the running totals again from what is in use, before they would leave the exact integers. */
  #keepTotalsExact(cells: Float64Array, at: number, now: TimeCell, cost: number): void {
    const groups = cells[at + OPENED_EVER]!;
    if (groups === 0 || this.#total(cells, at, groups - 1) + cost <= LAST_EXACT) return;
    const left = this.#totalLeft(cells, at, now);
    for (let group = this.#oldest(groups); group < groups; group += 1) {
      const place = this.#place(at, group) + TOTAL;
      cells[place] = Math.max(0, cells[place]! - left);
    }
  }

  #oldest(groups: number): number {
    return Math.max(0, groups - this.#places);
  }

  /** Moments are read from the cells, not passed from function to function, where they would be boxed. */
  #place(at: number, group: number): number {
    return at + RING + PLACE * (group % this.#places);
  }

  #total(cells: Float64Array, at: number, group: number): number {
    return cells[this.#place(at, group) + TOTAL]!;
  }

  #write(cells: Float64Array, at: number, group: number, lastUs: number, total: number): void {
    const place = this.#place(at, group);
    cells[place + LAST] = lastUs;
    cells[place + TOTAL] = total;
  }
}

/** Sliding windows, for the registry. */
export const slidingWindowAlgorithm: Algorithm<SlidingWindowLimit> = {
  compile: (limit) => new SlidingWindowKernel(limit),
  windowSeconds: ({ windowMs }) => Math.ceil(windowMs / 1000),
};
