import { checkOptions } from "../../core/check-options.ts";
import type { Duration } from "../../core/duration.ts";
import { show, TollgateError } from "../../core/errors.ts";
import type { CalendarUnit, CalendarWindowLimit, FixedWindowLimit } from "../../core/limits/limit.ts";
import { calendarOf, calendarWindowAlgorithm } from "../calendar-window.ts";
import { sealCalendarWindow } from "./calendar-window.ts";
import {
  checkCount,
  commonParts,
  LIMIT_OPTION_NAMES,
  type LimitOptions,
  type NamesOf,
  WINDOW_HINTS,
} from "./limit-options.ts";
import { type FixedWindowOptions, plainWindow } from "./plain-window.ts";

/** The numbers of a window by the calendar. */
export interface CalendarWindowOptions extends LimitOptions {
  /** The most units in each window: a positive integer. */
  readonly limit: number;
  /** Windows begin at midnight of the time zone, also when its clocks change. Weeks begin on Monday. */
  readonly window: CalendarUnit;
  /** A name of the IANA database, such as `"Europe/Berlin"`; `"UTC"` by default. */
  readonly timeZone?: string;
}

type Options = Omit<FixedWindowOptions, "window"> & Omit<CalendarWindowOptions, "window">;

const NAMES: NamesOf<Options & { readonly window: unknown }> = {
  ...LIMIT_OPTION_NAMES,
  limit: true,
  window: true,
  anchor: true,
  timeZone: true,
};

const CALENDAR_UNITS: readonly unknown[] = ["day", "week", "month", "year"] satisfies CalendarUnit[];

/**
 * At most `limit` units in each `window`. It admits up to twice the limit around the border of two windows: prefer a
 * token bucket, unless a quota has to renew at a known moment. Make windows by the calendar once, not for each call.
 *
 * @throws TollgateError `ERR_OPTION`, `ERR_LIMIT`, `ERR_DURATION` or `ERR_NAME`, saying which option was wrong.
 * @example
 * ```ts
 * import { createLimiter, fixedWindow } from "tollgate";
 *
 * const daily = createLimiter({ limits: [fixedWindow({ limit: 2, window: "1d", anchor: "first-use" })] });
 * console.log([1, 2, 3].map(() => daily.allow("ann"))); // [ true, true, false ]
 *
 * const plan = fixedWindow({ limit: 10_000, window: "month", timeZone: "Europe/Berlin" });
 * console.log(plan.name); // 10000-each-month-in-Europe/Berlin
 * ```
 */
export function fixedWindow<Window extends Duration | CalendarUnit>(
  options: (FixedWindowOptions | CalendarWindowOptions) & { readonly window: Window },
): Window extends CalendarUnit ? CalendarWindowLimit : FixedWindowLimit;
export function fixedWindow(
  options: FixedWindowOptions | CalendarWindowOptions,
): FixedWindowLimit | CalendarWindowLimit {
  checkOptions("fixedWindow", options, NAMES, WINDOW_HINTS);
  if (isByCalendar(options)) return calendarWindow(options);
  const { timeZone } = options as Options;
  if (timeZone !== undefined) {
    const expected = 'none, or window: "day", "week", "month" or "year"';
    throw new TollgateError("ERR_LIMIT", `timeZone: expected ${expected}, got ${show(timeZone)}`);
  }
  return plainWindow(options);
}

function isByCalendar(options: FixedWindowOptions | CalendarWindowOptions): options is CalendarWindowOptions {
  return CALENDAR_UNITS.includes(options.window);
}

function calendarWindow(options: CalendarWindowOptions): CalendarWindowLimit {
  const { name, window, timeZone = "UTC" } = options;
  const { anchor } = options as Options;
  const capacity = checkCount("limit", options.limit);
  if (anchor !== undefined && anchor !== "clock") {
    throw new TollgateError("ERR_LIMIT", `anchor: expected none beside window: ${show(window)}, got ${show(anchor)}`);
  }
  const zoneText = timeZone === "UTC" ? "" : `-in-${timeZone}`;
  const parts = commonParts(options, `${capacity}-each-${window}${zoneText}`);
  const limit = sealCalendarWindow(name, calendarWindowAlgorithm, { ...parts, capacity, window, timeZone });
  // A zone that the runtime does not know is refused here.
  calendarOf(limit);
  return limit;
}
