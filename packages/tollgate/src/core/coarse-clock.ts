import { checkFunction } from "./check-function.ts";
import { type Clock, isTime, systemClock } from "./clock.ts";

/** Every so many calls the time is read anew, whatever else happens. */
const CALLS_PER_READ = 16;
const STALE_AFTER_MS = 1;

/**
 * A clock that costs next to nothing: it reads its source every 16 calls and, while the event loop turns, when its last
 * reading is a millisecond old. Between two readings it stands still.
 *
 * What it tells is late, never early, unless its source goes back. So a token bucket may gain what it refills in that time,
 * rate × lag units, once per key at any moment, and a window may be shorter by the lag. While the event loop turns every
 * millisecond the lag is one or two, and a token bucket below 1,000 a second gains at most two units. In a long synchronous
 * run, and for what is left of a turn that has been long, only the number of calls bounds it: the lag is the time that 15
 * calls take, whatever else happens between them.
 *
 * A reading that fails reaches the caller, and the next call reads again. Between two readings a source that would fail
 * is not noticed.
 *
 * Its timer is unref'ed, and none is set while nobody asks. Runtimes that stop timers when a request ends, as Workers do,
 * leave only the bound of 16 calls: use `systemClock` there.
 *
 * @throws TollgateError `ERR_OPTION` when the source is no clock.
 * @example
 * ```ts
 * import { coarseClock, createLimiter, perSecond } from "tollgate";
 *
 * const limiter = createLimiter({ limits: [perSecond(100)], clock: coarseClock() });
 * console.log(limiter.allow("ann")); // true
 * ```
 */
export function coarseClock(source: Clock = systemClock): Clock {
  checkFunction("coarseClock: now", source?.now, "a function that returns milliseconds");
  let callsLeft = 0;
  let nowMs = 0;
  let timerSetMs = Number.NEGATIVE_INFINITY;

  const goStale = () => {
    callsLeft = 0;
    timerSetMs = Number.NEGATIVE_INFINITY;
  };
  const read = () => {
    const readMs = source.now();
    // The caller refuses it. It is not kept, so the next call reads again.
    if (!isTime(readMs)) return readMs;
    // A timer that is long overdue may have been stopped with the request that set it.
    if (!(readMs - timerSetMs < OVERDUE_MS && readMs >= timerSetMs)) {
      const timer = setTimeout(goStale, STALE_AFTER_MS);
      if (typeof timer === "object") timer.unref();
      timerSetMs = readMs;
    }
    callsLeft = CALLS_PER_READ - 1;
    nowMs = readMs;
    return readMs;
  };
  const now = () => {
    if (callsLeft === 0) return read();
    callsLeft -= 1;
    return nowMs;
  };
  return Object.freeze({ now });
}

const OVERDUE_MS = 1_000;
