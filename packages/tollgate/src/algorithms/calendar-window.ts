import type { CalendarWindowLimit } from "../core/limits/limit.ts";
import { Calendar } from "./calendar.ts";
import { FixedWindowKernel } from "./fixed-window.ts";
import type { Algorithm } from "./kernel.ts";

/** Making one takes far longer than a call. */
const CALENDARS = new WeakMap<CalendarWindowLimit, Calendar>();

/** The calendar of a limit. @throws TollgateError `ERR_LIMIT` for a zone that the runtime does not know. */
export function calendarOf(limit: CalendarWindowLimit): Calendar {
  const known = CALENDARS.get(limit);
  if (known !== undefined) return known;
  const calendar = new Calendar(limit.window, limit.timeZone);
  CALENDARS.set(limit, calendar);
  return calendar;
}

/** Fixed windows by the calendar, for the registry. */
export const calendarWindowAlgorithm: Algorithm<CalendarWindowLimit> = {
  compile: (limit) => {
    const calendar = calendarOf(limit);
    return new FixedWindowKernel(limit, (now) => calendar.find(now[0]!).endUs);
  },
  windowSeconds: (limit, nowUs) => {
    const { startUs, endUs } = calendarOf(limit).find(nowUs);
    return (endUs - startUs) / 1_000_000;
  },
  windowsAround: (limit, us) => {
    const calendar = calendarOf(limit);
    const { startUs, endUs } = calendar.find(us);
    return [calendar.find(startUs - 1).startUs, startUs, endUs, calendar.find(endUs).endUs];
  },
};
