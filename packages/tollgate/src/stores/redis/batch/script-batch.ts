import { stepsOf } from "../script/steps.ts";
import type { Work } from "./work.ts";

/** So many steps block a server for about two milliseconds. */
const MOST_STEPS = 2_000;

/** Work that is sent as one call of the script, in order. */
export class Batch {
  /** One server has all its keys: in a cluster, their slot. */
  readonly lane: number;
  readonly works: Work[] = [];
  /** The steps of each work. */
  readonly steps: number[] = [];
  readonly #mostKeys: number;
  /** A key counts once for each work. */
  #keys = 0;
  #total = 0;
  readonly #byLimitersClock: boolean;
  /** When the oldest call was made. */
  sinceMs: number = Number.POSITIVE_INFINITY;

  /** With `mostKeys` below 1 each work is sent alone. */
  constructor(lane: number, mostKeys: number, byLimitersClock: boolean) {
    this.lane = lane;
    this.#mostKeys = mostKeys;
    this.#byLimitersClock = byLimitersClock;
  }

  fits(work: Work): boolean {
    if (this.works.length === 0) return true;
    // The script is given one time.
    if (this.#byLimitersClock && this.works[0]!.nowUs !== work.nowUs) return false;
    return this.#keys + work.keys.length <= this.#mostKeys && this.#total + stepsOf(work) <= MOST_STEPS;
  }

  add(work: Work, steps: number): void {
    this.works.push(work);
    this.steps.push(steps);
    this.#keys += work.keys.length;
    this.#total += steps;
    this.sinceMs = Math.min(this.sinceMs, work.sinceMs);
  }
}
