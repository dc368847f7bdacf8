import { optionError } from "../core/check-options.ts";
import type { Clock } from "../core/clock.ts";

/** A clock that moves only when a test moves it, forward or back. */
export interface ManualClock extends Clock {
  /**
   * Moves the clock forward, or back by a negative number. On the way forward it stops at each moment at which a call
   * that waits is due, so that the call is decided at that very moment.
   */
  advance(ms: number): void;
  /** Sets the clock to a time in milliseconds since the epoch. It jumps there: calls that are due are decided then. */
  set(ms: number): void;
  schedule(callback: () => void, delayMs: number): () => void;
}

/** A callback, and when it is due. */
interface Appointment {
  readonly dueUs: number;
  readonly callback: () => void;
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
  const appointments = new Set<Appointment>();
  const moveTo = (us: number, stops: boolean) => {
    if (!stops) nowUs = us;
    for (let next = earliest(appointments); next !== undefined && next.dueUs <= us; next = earliest(appointments)) {
      appointments.delete(next);
      nowUs = Math.max(nowUs, next.dueUs);
      next.callback();
    }
    nowUs = us;
  };
  return {
    now: () => nowUs / 1000,
    advance: (ms) => moveTo(nowUs + wholeUs("manualClock.advance", ms), true),
    set: (ms) => moveTo(wholeUs("manualClock.set", ms), false),
    schedule: (callback, delayMs) => {
      const appointment = { dueUs: nowUs + wholeUs("manualClock.schedule", delayMs), callback };
      appointments.add(appointment);
      return () => appointments.delete(appointment);
    },
  };
}

/** The appointment that is due first, the first of equals. */
function earliest(appointments: Iterable<Appointment>): Appointment | undefined {
  let first: Appointment | undefined;
  for (const one of appointments) if (first === undefined || one.dueUs < first.dueUs) first = one;
  return first;
}

function wholeUs(owner: string, ms: unknown): number {
  if (typeof ms === "number" && Number.isFinite(ms)) return Math.round(ms * 1000);
  throw optionError(owner, "milliseconds", ms);
}
