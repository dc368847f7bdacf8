import { toMicroseconds } from "../core/duration.ts";
import type { ConcurrencyLimit } from "../core/limits/limit.ts";
import type { Report } from "../core/report.ts";
import type { TimeCell } from "../core/time-cell.ts";
import type { Algorithm, Kernel } from "./kernel.ts";
import { LAST_EXACT } from "./ticks.ts";

/** A key has no more groups of places. Up to so many places, each may have its own. */
const MOST_GROUPS = 64;
/** Places of a larger limit expire in steps of this part of `ttl`: two fewer than groups, because both ends count. */
const STEPS = 62;

/** The two cells of a group. */
const UNTIL = 0;
const COUNT = 1;
const GROUP = 2;

/**
 * Places that are taken and freed. A group of cells is the moment at which places free themselves, and how many they
 * are. Groups are in the order of their moments; after the last of them, cells are zeros.
 *
 * A place has no number. Its holder knows when it was taken, and so when it would free itself, or sooner. Freeing it
 * removes the first place that expires no sooner than that. Thus every place in use has one in the cells that expires
 * no sooner, even if it was taken for another holder: never are more places in use than are counted. Places of one
 * moment are alike.
 */
class ConcurrencyKernel implements Kernel<ConcurrencyLimit> {
  readonly limit: ConcurrencyLimit;
  readonly size: number;
  readonly inGroups = true;
  readonly startsEmpty = false;
  readonly idleTtlUs = 0;
  readonly #ttlUs: number;
  readonly #stepUs: number;

  constructor(limit: ConcurrencyLimit) {
    this.limit = limit;
    this.size = GROUP * Math.min(limit.capacity, MOST_GROUPS);
    this.#ttlUs = toMicroseconds("ttl", limit.ttlMs);
    this.#stepUs = stepUsOf(limit);
  }

  writeIdle(cells: Float64Array, at: number): void {
    for (let i = 0; i < this.size; i += 1) cells[at + i] = 0;
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
    this.#removeExpired(cells, at, now);
    this.#add(cells, at, this.placesUntilUs(now), cost);
  }

  /** Unless a later group has to take them in. */
  placesUntilUs(now: TimeCell): number {
    return Math.ceil((now[0]! + this.#ttlUs) / this.#stepUs) * this.#stepUs;
  }

  /** Frees places that were taken at `taken`. */
  refund(cells: Float64Array, at: number, taken: TimeCell, cost: number): void {
    let group = this.#firstFrom(cells, at, taken[0]! + this.#ttlUs);
    let left = cost;
    while (left > 0 && this.#hasGroup(cells, at, group)) {
      const count = at + GROUP * group + COUNT;
      const freed = Math.min(left, cells[count]!);
      cells[count]! -= freed;
      left -= freed;
      if (cells[count] === 0) this.#remove(cells, at, group, 1);
      else group += 1;
    }
  }

  giveBack(cells: Float64Array, at: number, now: TimeCell, units: number, untilUs: number): void {
    if (untilUs <= now[0]!) return;
    const group = this.#groupUntil(cells, at, untilUs);
    if (group >= 0) this.#free(cells, at, group, units);
  }

  extend(cells: Float64Array, at: number, now: TimeCell, count: number, untilUs: number, anewUs: number): number {
    if (untilUs <= now[0]!) return 0;
    const group = this.#groupUntil(cells, at, untilUs);
    if (group < 0 || cells[at + GROUP * group + COUNT]! < count) return 0;
    this.#free(cells, at, group, count);
    this.#removeExpired(cells, at, now);
    this.#add(cells, at, anewUs, count);
    return cells[at + GROUP * this.#firstFrom(cells, at, anewUs) + UNTIL]!;
  }

  revoke(cells: Float64Array, at: number, taken: TimeCell, now: TimeCell, cost: number): void {
    if (taken[0]! + this.#ttlUs > now[0]!) this.refund(cells, at, taken, cost);
  }

  used(cells: Float64Array, at: number, now: TimeCell): number {
    let used = 0;
    for (let group = 0; this.#hasGroup(cells, at, group); group += 1) {
      const cell = at + GROUP * group;
      if (cells[cell + UNTIL]! > now[0]!) used += cells[cell + COUNT]!;
    }
    return used;
  }

  tell(cells: Float64Array, at: number, now: TimeCell, cost: number, report: Report, entry: number): void {
    const { capacity } = this.limit;
    const used = this.used(cells, at, now);
    // Where places that were taken now are. If none were, no receipt reads it.
    const taken = this.#firstFrom(cells, at, this.placesUntilUs(now));
    report.untilUs[entry] = this.#hasGroup(cells, at, taken) ? cells[at + GROUP * taken + UNTIL]! : 0;
    const last = at + GROUP * (this.#groupsIn(cells, at) - 1);
    report.used[entry] = used;
    report.resetUs[entry] = used === 0 ? 0 : cells[last + UNTIL]! - now[0]!;
    report.waitUs[entry] = cost > capacity ? Number.POSITIVE_INFINITY : 0;
    report.usedAfterWait[entry] = cost > capacity ? 0 : used;
    if (cost > capacity || used + cost <= capacity) return;
    let left = used;
    for (let group = this.#firstFrom(cells, at, now[0]!); left + cost > capacity; group += 1) {
      const cell = at + GROUP * group;
      if (cells[cell + UNTIL]! <= now[0]!) continue;
      left -= cells[cell + COUNT]!;
      report.waitUs[entry] = cells[cell + UNTIL]! - now[0]!;
    }
    report.usedAfterWait[entry] = left;
  }

  isIdle(cells: Float64Array, at: number, now: TimeCell): boolean {
    return this.used(cells, at, now) === 0;
  }

  adoptUntil(cells: Float64Array, at: number, now: TimeCell, units: number, leaveUs: number): void {
    if (units > 0) this.#add(cells, at, now[0]! + leaveUs, units);
  }

  /** The places keep their moments: their holders know them. */
  adoptFrom(cells: Float64Array, at: number, now: TimeCell, from: this, theirs: Float64Array, theirsAt: number): void {
    this.writeIdle(cells, at);
    for (let group = 0; group < from.#groupsIn(theirs, theirsAt); group += 1) {
      const cell = theirsAt + GROUP * group;
      if (theirs[cell + UNTIL]! > now[0]!) this.#add(cells, at, theirs[cell + UNTIL]!, theirs[cell + COUNT]!);
    }
  }

  /** Adds places to the group of this moment. Without cells for one more group, the next later one has them. */
  #add(cells: Float64Array, at: number, untilUs: number, count: number): void {
    const groups = this.#groupsIn(cells, at);
    const isFull = GROUP * groups === this.size;
    let group = this.#firstFrom(cells, at, untilUs);
    if (group === groups && isFull) {
      // The last places expire later, with these.
      group -= 1;
      cells[at + GROUP * group + UNTIL] = untilUs;
    } else if (group === groups || (!isFull && cells[at + GROUP * group + UNTIL]! > untilUs)) {
      for (let i = GROUP * groups - 1; i >= GROUP * group; i -= 1) cells[at + i + GROUP] = cells[at + i]!;
      cells[at + GROUP * group + UNTIL] = untilUs;
      cells[at + GROUP * group + COUNT] = 0;
    }
    const cell = at + GROUP * group + COUNT;
    cells[cell] = Math.min(cells[cell]! + count, LAST_EXACT);
  }

  /** The group whose places expire at exactly this moment, or -1. */
  #groupUntil(cells: Float64Array, at: number, untilUs: number): number {
    const group = this.#firstFrom(cells, at, untilUs);
    return this.#hasGroup(cells, at, group) && cells[at + GROUP * group + UNTIL] === untilUs ? group : -1;
  }

  /** Frees up to so many places of a group. */
  #free(cells: Float64Array, at: number, group: number, count: number): void {
    const cell = at + GROUP * group + COUNT;
    cells[cell] = Math.max(0, cells[cell]! - count);
    if (cells[cell] === 0) this.#remove(cells, at, group, 1);
  }

  /** The first group whose places expire at a moment or later; otherwise the number of groups. */
  #firstFrom(cells: Float64Array, at: number, untilUs: number): number {
    let group = 0;
    while (this.#hasGroup(cells, at, group) && cells[at + GROUP * group + UNTIL]! < untilUs) group += 1;
    return group;
  }

  #hasGroup(cells: Float64Array, at: number, group: number): boolean {
    return GROUP * group < this.size && cells[at + GROUP * group + COUNT]! > 0;
  }

  #groupsIn(cells: Float64Array, at: number): number {
    let groups = 0;
    while (this.#hasGroup(cells, at, groups)) groups += 1;
    return groups;
  }

  #removeExpired(cells: Float64Array, at: number, now: TimeCell): void {
    let expired = 0;
    while (this.#hasGroup(cells, at, expired) && cells[at + GROUP * expired + UNTIL]! <= now[0]!) expired += 1;
    if (expired > 0) this.#remove(cells, at, 0, expired);
  }

  #remove(cells: Float64Array, at: number, first: number, count: number): void {
    for (let i = GROUP * first; i < this.size; i += 1) {
      const from = i + GROUP * count;
      cells[at + i] = from < this.size ? cells[at + from]! : 0;
    }
  }
}

/** Places expire at multiples of so many microseconds. */
function stepUsOf({ capacity, ttlMs }: ConcurrencyLimit): number {
  return capacity <= MOST_GROUPS ? 1 : Math.ceil(toMicroseconds("ttl", ttlMs) / STEPS);
}

/** Limits on concurrency, for the registry. */
export const concurrencyAlgorithm: Algorithm<ConcurrencyLimit> = {
  compile: (limit) => new ConcurrencyKernel(limit),
  windowSeconds: ({ ttlMs }) => Math.ceil(ttlMs / 1000),
};
