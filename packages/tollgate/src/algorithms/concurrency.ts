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
 * A place has no number: its holder knows the moment at which it would free itself, and places of one moment are alike.
 * Without cells for another group, a later one takes places in, and its count is negative from then on. Their holders
 * find them there: a holder may have any place of its own moment, and any of a later group that took places in. Places
 * only move to later moments, so every place in use has one in the cells that expires no sooner, even if it was taken
 * for another holder: never are more places in use than are counted.
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
    this.#add(cells, at, this.placesUntilUs(now), cost, false);
  }

  /** Unless a later group has to take them in. */
  placesUntilUs(now: TimeCell): number {
    return Math.ceil((now[0]! + this.#ttlUs) / this.#stepUs) * this.#stepUs;
  }

  /** Frees places that were taken at `taken`. */
  refund(cells: Float64Array, at: number, taken: TimeCell, cost: number): void {
    this.#free(cells, at, taken[0]! + this.#ttlUs, cost, "any");
  }

  giveBack(cells: Float64Array, at: number, now: TimeCell, units: number, untilUs: number): void {
    if (untilUs > now[0]!) this.#free(cells, at, untilUs, units, "own");
  }

  extend(cells: Float64Array, at: number, now: TimeCell, count: number, untilUs: number, anewUs: number): number {
    if (untilUs <= now[0]! || this.#countUntil(cells, at, untilUs) < count) return 0;
    this.#free(cells, at, untilUs, count, "own");
    this.#removeExpired(cells, at, now);
    this.#add(cells, at, anewUs, count, false);
    return cells[at + GROUP * this.#firstFrom(cells, at, anewUs) + UNTIL]!;
  }

  revoke(cells: Float64Array, at: number, taken: TimeCell, now: TimeCell, cost: number): void {
    if (taken[0]! + this.#ttlUs > now[0]!) this.refund(cells, at, taken, cost);
  }

  used(cells: Float64Array, at: number, now: TimeCell): number {
    let used = 0;
    for (let group = 0; this.#hasGroup(cells, at, group); group += 1) {
      const cell = at + GROUP * group;
      if (cells[cell + UNTIL]! > now[0]!) used += this.#count(cells, at, group);
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
      left -= this.#count(cells, at, group);
      report.waitUs[entry] = cells[cell + UNTIL]! - now[0]!;
    }
    report.usedAfterWait[entry] = left;
  }

  isIdle(cells: Float64Array, at: number, now: TimeCell): boolean {
    return this.used(cells, at, now) === 0;
  }

  adoptUntil(cells: Float64Array, at: number, now: TimeCell, units: number, leaveUs: number): void {
    if (units > 0) this.#add(cells, at, now[0]! + leaveUs, units, false);
  }

  /** The places keep their moments: their holders know them. */
  adoptFrom(cells: Float64Array, at: number, now: TimeCell, from: this, theirs: Float64Array, theirsAt: number): void {
    this.writeIdle(cells, at);
    for (let group = 0; group < from.#groupsIn(theirs, theirsAt); group += 1) {
      const cell = theirsAt + GROUP * group;
      if (theirs[cell + UNTIL]! <= now[0]!) continue;
      const tookIn = theirs[cell + COUNT]! < 0;
      this.#add(cells, at, theirs[cell + UNTIL]!, from.#count(theirs, theirsAt, group), tookIn);
    }
  }

  /**
   * Adds places to the group of this moment. Without cells for one more group, the next later one takes them in.
   * `tookIn` says that they are of a group that has done so.
   */
  #add(cells: Float64Array, at: number, untilUs: number, count: number, tookIn: boolean): void {
    const groups = this.#groupsIn(cells, at);
    const isFull = GROUP * groups === this.size;
    let group = this.#firstFrom(cells, at, untilUs);
    // The last places expire later, with these.
    if (group === groups && isFull) group -= 1;
    const cell = at + GROUP * group;
    const isOwn = group < groups && cells[cell + UNTIL] === untilUs;
    if (!(isOwn || isFull)) {
      for (let i = GROUP * groups - 1; i >= GROUP * group; i -= 1) cells[at + i + GROUP] = cells[at + i]!;
      cells[cell + COUNT] = 0;
      cells[cell + UNTIL] = untilUs;
    } else if (cells[cell + UNTIL]! < untilUs) cells[cell + UNTIL] = untilUs;
    const takesIn = tookIn || cells[cell + COUNT]! < 0 || (isFull && !isOwn);
    const sum = Math.min(this.#count(cells, at, group) + count, LAST_EXACT);
    cells[cell + COUNT] = takesIn ? -sum : sum;
  }

  /** Frees up to so many places, from a moment on: those that a holder of this moment may have, or any. */
  #free(cells: Float64Array, at: number, untilUs: number, count: number, which: "own" | "any"): void {
    let left = count;
    let group = this.#firstFrom(cells, at, untilUs);
    while (left > 0 && this.#hasGroup(cells, at, group)) {
      const cell = at + GROUP * group + COUNT;
      const own = which === "any" || this.#mayHave(cells, at, group, untilUs) ? this.#count(cells, at, group) : 0;
      const freed = Math.min(left, own);
      left -= freed;
      cells[cell]! -= Math.sign(cells[cell]!) * freed;
      if (cells[cell] === 0) this.#remove(cells, at, group, 1);
      else group += 1;
    }
  }

  /** How many places a holder of this moment may have. */
  #countUntil(cells: Float64Array, at: number, untilUs: number): number {
    let count = 0;
    for (let group = this.#firstFrom(cells, at, untilUs); this.#hasGroup(cells, at, group); group += 1) {
      if (this.#mayHave(cells, at, group, untilUs)) count += this.#count(cells, at, group);
    }
    return count;
  }

  /** Whether a group, which is not sooner than this moment, may have places of it. */
  #mayHave(cells: Float64Array, at: number, group: number, untilUs: number): boolean {
    const cell = at + GROUP * group;
    return cells[cell + UNTIL] === untilUs || cells[cell + COUNT]! < 0;
  }

  #count(cells: Float64Array, at: number, group: number): number {
    return Math.abs(cells[at + GROUP * group + COUNT]!);
  }

  /** The first group whose places expire at a moment or later; otherwise the number of groups. */
  #firstFrom(cells: Float64Array, at: number, untilUs: number): number {
    let group = 0;
    while (this.#hasGroup(cells, at, group) && cells[at + GROUP * group + UNTIL]! < untilUs) group += 1;
    return group;
  }

  #hasGroup(cells: Float64Array, at: number, group: number): boolean {
    return GROUP * group < this.size && cells[at + GROUP * group + COUNT] !== 0;
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
