import { show, TollgateError } from "./errors.ts";
import type { TimeCell } from "./time-cell.ts";

/** Tells the time: milliseconds since the Unix epoch, fractions allowed. */
export interface Clock {
  now(): number;
}

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
});

/**
 * A global `performance` is looked up at some cost each time, a `Date` at none; test runners that fake the time replace
 * both.
 */
const OWN_PERFORMANCE = performance;
const OWN_DATE = Date;

/** When the process began; the engine would look it up each time. */
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
  if (!isTime(ms)) throw refusal(ms);
  return Math.round(ms * 1000);
}

/** The same, noted in an instant: a result would be boxed wherever this is not inlined. */
export function readInto(clock: Clock, now: TimeCell): void {
  const ms: unknown = clock.now();
  // As `isTime`, without a call.
  if (!(typeof ms === "number" && ms <= LAST_MS && ms >= -LAST_MS)) throw refusal(ms);
  now[0] = Math.round(ms * 1000);
}

/** Whether a clock's reading is a time that can be decided by: a number within 142 years of the epoch. */
export function isTime(ms: unknown): ms is number {
  return typeof ms === "number" && ms <= LAST_MS && ms >= -LAST_MS;
}

function refusal(ms: unknown): TollgateError {
  return new TollgateError(
    "ERR_CLOCK",
    `clock.now(): expected milliseconds since the epoch, within 142 years of it, got ${show(ms)}`,
  );
}
