import { checkFunction } from "./checks.ts";
import { type Clock, isTime, systemClock } from "./clock.ts";

/** The time is read at least once in so many calls. */
const CALLS_PER_READ = 16;
const STALE_AFTER_MS = 1;

/**
 * A clock that is cheap to read. It reads its source every 16 calls and, while the event loop turns, when its last
 * reading is a millisecond old. Between two readings its time stands still.
 *
 * Its time is late, never early, unless the source goes back. So a token bucket may gain rate × lag units, once per key
 * at any moment, and a window may be shorter by the lag. While the event loop turns every millisecond, the lag is one
 * or two. A token bucket below 1,000 a second then gains at most two units. During a long synchronous run only the
 * number of calls bounds the lag: it is the time of 15 calls, with everything that happens between them.
 *
 * If a reading fails, the caller gets the error, and the next call reads again. A source that would fail between two
 * readings is not noticed.
 *
 * Its timer is unref'ed, and is set only after calls. Runtimes that stop timers when a request ends, such as Workers,
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
    // The limiter rejects an invalid reading. It is not kept, so the next call reads again.
    if (!isTime(readMs)) return readMs;
    // The runtime may have stopped a timer that is long overdue, with the request that set it.
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
