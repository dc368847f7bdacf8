import type { TimeCell } from "../core/time-cell.ts";
import { LAST_EXACT } from "./ticks.ts";

/** How many groups a key has opened since its last idle time. */
export const OPENED_EVER = 0;
/** When the newest group opened. */
export const NEWEST_OPENED = 1;
/** How many cells come before the ring. */
const HEAD = 2;
/** Each place of the ring has the time of the group's last unit, and the running total up to it. */
export const LAST = 0;
export const TOTAL = 1;
const PLACE = 2;

/**
 * The groups of units of a sliding window in a ring of cells. A group leaves `windowUs` after its last unit. Running
 * totals make the units in use one subtraction, and a search finds the last group that left.
 */
export class GroupRing {
  /** How many cells a key needs. */
  readonly size: number;
  readonly #windowUs: number;
  readonly #places: number;

  /** `groups` may count at the same time. */
  constructor(windowUs: number, groups: number) {
    this.#windowUs = windowUs;
    // One more counts while the oldest begins before the window. The last place is for the total to subtract from.
    this.#places = groups + 2;
    this.size = HEAD + PLACE * this.#places;
  }

  /** The units in use: the newest total less that of the last group that left. */
  used(cells: Float64Array, at: number, now: TimeCell): number {
    const groups = cells[at + OPENED_EVER]!;
    if (groups === 0) return 0;
    return this.total(cells, at, groups - 1) - this.totalLeft(cells, at, now);
  }

  /** The wait until a group has left. */
  untilLeftUs(cells: Float64Array, at: number, now: TimeCell, group: number): number {
    return Math.max(0, cells[this.place(at, group) + LAST]! + this.#windowUs - now[0]!);
  }

  /** The newest group with units. Only the newest of all can be without. */
  newestFilled(cells: Float64Array, at: number): number {
    const newest = cells[at + OPENED_EVER]! - 1;
    return this.isEmpty(cells, at, newest) ? newest - 1 : newest;
  }

  /** How many units a group has. */
  unitsOf(cells: Float64Array, at: number, group: number): number {
    return this.total(cells, at, group) - (group === 0 ? 0 : this.total(cells, at, group - 1));
  }

  /** Removes units of a group. A group without units goes, unless it is the newest, which keeps its opening time. */
  removeFrom(cells: Float64Array, at: number, group: number, units: number): void {
    const groups = cells[at + OPENED_EVER]!;
    const goes = group < groups - 1 && units === this.unitsOf(cells, at, group);
    for (let later = group; later < groups; later += 1) cells[this.place(at, later) + TOTAL]! -= units;
    if (!goes) return;
    if (groups < this.#places) {
      for (let to = group; to < groups - 1; to += 1) this.#copy(cells, at, to + 1, to);
      cells[at + OPENED_EVER] = groups - 1;
      return;
    }
    // The ring is full: the freed place becomes its oldest part, which is only a total to subtract.
    const first = this.#first(groups);
    for (let to = group; to > first; to -= 1) this.#copy(cells, at, to - 1, to);
    this.write(cells, at, first, Number.NEGATIVE_INFINITY, this.total(cells, at, first - 1));
  }

  #copy(cells: Float64Array, at: number, from: number, to: number): void {
    const place = this.place(at, from);
    this.write(cells, at, to, cells[place + LAST]!, cells[place + TOTAL]!);
  }

  /** The first group that may count. Once the ring is full, its oldest group has left for good. */
  #first(groups: number): number {
    return groups >= this.#places ? groups - this.#places + 1 : 0;
  }

  haveAllLeft(cells: Float64Array, at: number, now: TimeCell): boolean {
    if (cells[at + OPENED_EVER] === 0) return true;
    return cells[this.place(at, this.newestFilled(cells, at)) + LAST]! + this.#windowUs <= now[0]!;
  }

  /** The first group whose running total reaches `total`, which the newest group's does. */
  firstReaching(cells: Float64Array, at: number, total: number): number {
    const groups = cells[at + OPENED_EVER]!;
    let from = this.oldest(groups);
    let until = groups - 1;
    while (from < until) {
      const middle = Math.floor((from + until) / 2);
      if (this.total(cells, at, middle) >= total) until = middle;
      else from = middle + 1;
    }
    return from;
  }

  /** The running total of the last group that left. */
  totalLeft(cells: Float64Array, at: number, now: TimeCell): number {
    const first = this.firstStaying(cells, at, now);
    return first === 0 ? 0 : this.total(cells, at, first - 1);
  }

  /** The first group that has not left; the number of groups if all have. There is at least one group. */
  firstStaying(cells: Float64Array, at: number, now: TimeCell): number {
    const groups = cells[at + OPENED_EVER]!;
    const leftUs = now[0]! - this.#windowUs;
    let from = this.#first(groups);
    let until = groups;
    while (from < until) {
      const middle = (from + until) >>> 1;
      if (cells[this.place(at, middle) + LAST]! <= leftUs) from = middle + 1;
      else until = middle;
    }
    return from;
  }

  /** Whether a group may open: the oldest group in the ring must have left then, because its total is subtracted. */
  hasPlace(cells: Float64Array, at: number, now: TimeCell): boolean {
    const groups = cells[at + OPENED_EVER]!;
    if (groups < this.#places - 1) return true;
    return cells[this.place(at, groups - this.#places + 1) + LAST]! + this.#windowUs <= now[0]!;
  }

  /**
   * Copies the groups that count from another ring of the same window, into cells that are 0.
   *
   * @returns whether there were places for them.
   */
  adopt(
    cells: Float64Array,
    at: number,
    now: TimeCell,
    from: GroupRing,
    theirs: Float64Array,
    theirsAt: number,
  ): boolean {
    const groups = theirs[theirsAt + OPENED_EVER]!;
    if (groups === 0 || from.haveAllLeft(theirs, theirsAt, now)) return true;
    const first = from.firstStaying(theirs, theirsAt, now);
    const left = from.totalLeft(theirs, theirsAt, now);
    if (groups - first >= this.#places) return false;
    for (let group = first; group < groups; group += 1) {
      const place = from.place(theirsAt, group);
      this.write(cells, at, group - first, theirs[place + LAST]!, theirs[place + TOTAL]! - left);
    }
    cells[at + OPENED_EVER] = groups - first;
    cells[at + NEWEST_OPENED] = theirs[theirsAt + NEWEST_OPENED]!;
    return true;
  }

  /** Drops the groups after `newest`, which are empty. Amortised O(1): a call opened each of them. */
  dropAfter(cells: Float64Array, at: number, newest: number): void {
    const groups = cells[at + OPENED_EVER]!;
    if (newest === groups - 1) return;
    if (groups < this.#places) {
      cells[at + OPENED_EVER] = newest + 1;
      return;
    }
    // The ring is full: the freed places become its oldest part, which is only a total to subtract.
    const total = this.total(cells, at, groups - this.#places);
    for (let group = newest + 1; group <= groups; group += 1) {
      this.write(cells, at, group, Number.NEGATIVE_INFINITY, total);
    }
    cells[at + OPENED_EVER] = newest + 1 + this.#places;
  }

  /** A key whose units have all left is idle: it has to decide as one that was dropped meanwhile. */
  restartIfIdle(cells: Float64Array, at: number, now: TimeCell): void {
    if (this.haveAllLeft(cells, at, now)) cells[at + OPENED_EVER] = 0;
  }

  /** Whether a refund took all of a group's units; it was not the first group then. */
  isEmpty(cells: Float64Array, at: number, group: number): boolean {
    return group > 0 && this.total(cells, at, group) === this.total(cells, at, group - 1);
  }

  /** Starts the running totals again from what is in use, before they would leave the exact integers. */
  keepTotalsExact(cells: Float64Array, at: number, now: TimeCell, cost: number): void {
    const groups = cells[at + OPENED_EVER]!;
    if (groups === 0 || this.total(cells, at, groups - 1) + cost <= LAST_EXACT) return;
    const left = this.totalLeft(cells, at, now);
    for (let group = this.oldest(groups); group < groups; group += 1) {
      const place = this.place(at, group) + TOTAL;
      cells[place] = Math.max(0, cells[place]! - left);
    }
  }

  oldest(groups: number): number {
    return Math.max(0, groups - this.#places);
  }

  /** Moments are read from the cells, not passed from function to function, where they would be boxed. */
  place(at: number, group: number): number {
    // The remainder: with numbers from a Float64Array, `%` is a call of a slow function.
    return at + HEAD + PLACE * (group - this.#places * Math.floor(group / this.#places));
  }

  total(cells: Float64Array, at: number, group: number): number {
    return cells[this.place(at, group) + TOTAL]!;
  }

  write(cells: Float64Array, at: number, group: number, lastUs: number, total: number): void {
    const place = this.place(at, group);
    cells[place + LAST] = lastUs;
    cells[place + TOTAL] = total;
  }
}
