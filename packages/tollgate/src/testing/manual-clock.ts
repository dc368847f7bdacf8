import { optionError } from "../core/check-options.ts";
import type { Clock } from "../core/clock.ts";

/** A clock that moves only when a test moves it, forward or back. */
export interface ManualClock extends Clock {
  /** Moves the clock forward, or back by a negative number. */
  advance(ms: number): void;
  /** Sets the clock to a time in milliseconds since the epoch. */
  set(ms: number): void;
}

/**
 * Creates a clock for tests that starts at `startMs` milliseconds since the epoch. It counts whole microseconds.
 *
 * @throws TollgateError `ERR_OPTION` when a time is not a finite number; so do `advance` and `set`.
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
  // Whole microseconds let many small steps add up exactly.
  let nowUs = wholeUs("manualClock", startMs);
  return {
    now: () => nowUs / 1000,
    advance: (ms) => {
      nowUs += wholeUs("manualClock.advance", ms);
    },
    set: (ms) => {
      nowUs = wholeUs("manualClock.set", ms);
    },
  };
}

function wholeUs(owner: string, ms: unknown): number {
  if (typeof ms === "number" && Number.isFinite(ms)) return Math.round(ms * 1000);
  throw optionError(owner, "milliseconds", ms);
}
