import { show, TollgateError } from "./errors.ts";
import { createTimeCell, type TimeCell } from "./time-cell.ts";

/** Tells the time: milliseconds since the Unix epoch, fractions allowed. */
export interface Clock {
  now(): number;
  /**
   * Calls back once, `delayMs` later by this clock, and returns a function that cancels it. Calls that wait use it. A
   * clock without this method is asked after a `setTimeout`, again and again until the moment has come.
   */
  schedule?(callback: () => void, delayMs: number): () => void;
}

/** Global, so that it marks the system clocks of all copies of the library. */
const SYSTEM = Symbol.for("tollgate.system-clock");

/**
 * The default clock. It never goes back: it starts at the wall time of the process and then counts monotonically, so
 * corrections of the system's clock do not reach it. Test runners that fake `Date` and `performance` fake it, too.
 *
 * @example
 * ```ts
 * import { systemClock } from "tollgate";
 *
 * console.log(new Date(systemClock.now()).getUTCFullYear() >= 2026); // true
 * ```
 */
export const systemClock: Clock = Object.freeze({
  now: () => TIME_ORIGIN_MS + (Date === OWN_DATE ? OWN_PERFORMANCE.now() : performance.now()),
  [SYSTEM]: true,
});

/** Whether two clocks tell one time: the copies of the library for `import` and for `require` have one clock each. */
export function isSameClock(one: Clock, other: Clock): boolean {
  return one === other || (SYSTEM in one && SYSTEM in other);
}

/**
 * Looking up the global `performance` takes 5 ns, looking up `Date` takes none. Test runners that fake the time replace
 * both, so `Date` tells whether `performance` is still the same.
 */
const OWN_PERFORMANCE = performance;
const OWN_DATE = Date;

/** The process's start. The engine would look it up each time. */
const TIME_ORIGIN_MS = performance.timeOrigin;

/** Up to 2^52 microseconds: sums of a moment and a duration are still exact integers. */
const LAST_MS = 2 ** 52 / 1000;

/**
 * The clock's time in whole microseconds, the unit of everything below the limiter.
 *
 * @throws TollgateError `ERR_CLOCK` when the clock returns no number within 142 years of the epoch.
 */
export function readUs(clock: Clock): number {
  const ms: unknown = clock.now();
  if (!isTime(ms)) throw clockError(ms);
  return Math.round(ms * 1000);
}

/** The clock's time in a cell of its own. Throws as `readUs`. */
export function readTime(clock: Clock): TimeCell {
  const now = createTimeCell();
  readInto(clock, now);
  return now;
}

/** The clock's time, written into a cell. A result would be boxed if this were not inlined. Throws as `readUs`. */
export function readInto(clock: Clock, now: TimeCell): void {
  const ms: unknown = clock.now();
  // `isTime` inlined by hand.
  if (!(typeof ms === "number" && ms <= LAST_MS && ms >= -LAST_MS)) throw clockError(ms);
  now[0] = Math.round(ms * 1000);
}

/**
 * Milliseconds of this process since some moment, which never go back, as precise as the runtime tells. For timeouts,
 * and to measure how long calls take: no call is decided by it.
 */
export function preciseMs(): number {
  return Date === OWN_DATE ? OWN_PERFORMANCE.now() : performance.now();
}

/** Whether a clock's reading is a valid time: a number within 142 years of the epoch. */
export function isTime(ms: unknown): ms is number {
  return typeof ms === "number" && ms <= LAST_MS && ms >= -LAST_MS;
}

function clockError(ms: unknown): TollgateError {
  return new TollgateError(
    "ERR_CLOCK",
    `clock.now(): expected milliseconds since the epoch, within 142 years of it, got ${show(ms)}`,
  );
}
