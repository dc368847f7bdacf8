import type { Clock } from "../core/clock.ts";

/** A clock that stands still until it is told otherwise, and may be set back. */
export interface ManualClock extends Clock {
  /** Moves it on; by less than nothing, back. */
  advance(ms: number): void;
  /** Sets it to a moment: milliseconds since the epoch. */
  set(ms: number): void;
}

/**
 * A clock for tests, starting at `startMs` milliseconds since the epoch. It counts whole microseconds.
 *
 * @example
 * ```ts
 * import { createLimiter, perSecond } from "tollgate";
 * import { manualClock } from "tollgate/testing";
 *
 * const clock = manualClock(0);
 * const limiter = createLimiter({ limits: [perSecond(1)], clock });
 * console.log(limiter.allow("ann"), limiter.allow("ann")); // true false
 * clock.advance(1_000);
 * console.log(limiter.allow("ann")); // true
 * ```
 */
export function manualClock(startMs = 0): ManualClock {
  // Whole microseconds, so that many small steps add up exactly.
  let nowUs = Math.round(startMs * 1000);
  return {
    now: () => nowUs / 1000,
    advance: (ms) => {
      nowUs += Math.round(ms * 1000);
    },
    set: (ms) => {
      nowUs = Math.round(ms * 1000);
    },
  };
}
