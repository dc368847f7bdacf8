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
  readonly #names = new Set<string>();
  readonly #mostKeys: number;
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
    if (this.#total + stepsOf(work) > MOST_STEPS) return false;
    let more = 0;
    for (const { name } of work.keys) if (!this.#names.has(name)) more += 1;
    return this.#names.size + more <= this.#mostKeys;
  }

  add(work: Work, steps: number): void {
    this.works.push(work);
    this.steps.push(steps);
    for (const { name } of work.keys) this.#names.add(name);
    this.#total += steps;
    this.sinceMs = Math.min(this.sinceMs, work.sinceMs);
  }
}
