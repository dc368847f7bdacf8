import type { Clock } from "tollgate";

export const START_MS = 1_790_000_000_123;

/** A coarse clock reads its source for one call of so many. */
export const CALLS_PER_READ = 16;

/** A clock that a test sets, and that counts its readings. */
export class CountingClock implements Clock {
  nowMs = START_MS;
  reads = 0;

  now(): number {
    this.reads += 1;
    return this.nowMs;
  }
}
