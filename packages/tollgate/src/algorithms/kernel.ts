import type { Limit } from "../core/limits/limit.ts";
import type { Report } from "../core/report.ts";
import type { TimeCell } from "../core/time-cell.ts";
import type { Ticks } from "./ticks.ts";

/** What the hot path needs of a limit or of a list of limits. */
export interface PlainTake {
  /** Takes the cost if it conforms, and says whether it does. */
  tryTake(cells: Float64Array, at: number, now: TimeCell, cost: number): boolean;
}

/**
 * One limit compiled: the pure arithmetic of its algorithm over `size` cells that begin at `at`. Time comes in as a
 * cell, costs as checked whole numbers. A kernel has no clock and no other state, and allocates nothing.
 */
export interface Kernel<L extends Limit = Limit> extends PlainTake {
  readonly limit: L;
  /** How many cells a key needs. */
  readonly size: number;
  /** Whether a new key starts with less than everything. */
  readonly startsEmpty: boolean;
  /** How long a key that starts empty is kept after it has become idle; otherwise 0. */
  readonly idleTtlUs: number;
  /** Set if the only cell is a moment in ticks of this scale: shared memory packs such a cell into its slot. */
  readonly ticks?: Ticks;
  /** Writes the cells of an idle key; under a limit that starts empty, those of a bucket that has filled. */
  writeIdle(cells: Float64Array, at: number): void;
  /** Whether the cost could be taken now. Reads only. */
  conforms(cells: Float64Array, at: number, now: TimeCell, cost: number): boolean;
  /** Takes the cost, unchecked: into debt if it does not conform. */
  take(cells: Float64Array, at: number, now: TimeCell, cost: number): void;
  /** Gives units back, never beyond full. Places are freed as of `now`, the moment at which they were taken. */
  refund(cells: Float64Array, at: number, now: TimeCell, cost: number): void;
  /**
   * Gives back the part of a cost that still counts, after other calls may have taken from the same cells. The cost
   * conformed and was taken at `taken`. A revocation never admits more than if the cost had not been taken. Kernels
   * without this method cannot tell the units of one call from those of another: the cost stays taken.
   */
  revoke?(cells: Float64Array, at: number, taken: TimeCell, now: TimeCell, cost: number): void;
  /**
   * Gives back units of one take that has left at `untilUs` if nothing else is taken: nothing from then on, and nothing
   * if that take is not counted any more. Under windows and limits on concurrency `untilUs` says which take.
   */
  giveBack(cells: Float64Array, at: number, now: TimeCell, units: number, untilUs: number): void;
  /** When places free themselves that are taken now. Only kernels that count places have this method. */
  placesUntilUs?(now: TimeCell): number;
  /**
   * Lets `count` places that would free themselves at `untilUs` free themselves at `anewUs`, or with a later group.
   * Returns when they do: 0 if they have, or if they are not there any more. Only kernels that count places have this
   * method.
   */
  extend?(cells: Float64Array, at: number, now: TimeCell, count: number, untilUs: number, anewUs: number): number;
  /** Fills a report's entry for this limit, all figures from one reading of the cells and of the time. */
  tell(cells: Float64Array, at: number, now: TimeCell, cost: number, report: Report, entry: number): void;
  /** Whether no unit counts any more. */
  isIdle(cells: Float64Array, at: number, now: TimeCell): boolean;
  /** Whether units leave in groups, each at a time of its own, so that one report does not tell when. */
  readonly inGroups: boolean;
  /** Adds `units` that expire `leaveUs` from now, rounded up. The cells are those of an idle key or of a forecast. */
  adoptUntil(cells: Float64Array, at: number, now: TimeCell, units: number, leaveUs: number): void;
  /**
   * Restates cells that a kernel of the same limit wrote for another origin. Only ticks have one. Origins more than
   * thirty years apart may change a cell by a tick or two.
   */
  rebase?(cells: Float64Array, at: number, from: this): void;
  /**
   * Writes the cells of a key that has used as much as the same limit with other numbers says (`isSameLimit`). What is
   * rounded is rounded up.
   */
  adoptFrom(cells: Float64Array, at: number, now: TimeCell, from: this, theirs: Float64Array, theirsAt: number): void;
}

/** Writes the cells of a new key. */
export function writeNew(kernel: Kernel, cells: Float64Array, at: number, now: TimeCell): void {
  kernel.writeIdle(cells, at);
  if (kernel.startsEmpty) kernel.take(cells, at, now, kernel.limit.capacity);
}

/** Where a limit's cells are, and the kernel under whose numbers they were written. */
export interface CountedLimit {
  readonly kernel: Kernel;
  readonly cells: Float64Array;
  readonly at: number;
}

/** A limit's kernel, and where its cells begin within a key's. */
export interface Part {
  readonly kernel: Kernel;
  readonly offset: number;
}

/** An algorithm, as far as its limits can be described without cells. */
export interface Algorithm<L extends Limit = Limit> {
  /** `originUs` is a moment within 20 years of every call. Only ticks depend on it, and all origins decide alike. */
  compile(limit: L, originUs: number): Kernel<L>;
  /** The whole seconds in which a limit is renewed at a moment, for HTTP headers. */
  windowSeconds(limit: L, nowUs: number): number;
  /** The starts of the windows before, at and after a moment, and the end of the last, where a calendar has them. */
  windowsAround?(limit: L, us: number): readonly number[];
}
