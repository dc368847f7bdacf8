import type { CalendarWindowLimit } from "../../core/limits/limit.ts";
import { type LimitCommon, sealLimit } from "../../core/limits/limit-common.ts";
import { algorithmOf } from "../compile-limit.ts";
import { fingerprintOf } from "./limit-options.ts";

type Parts = Omit<LimitCommon, "fingerprint"> & Pick<CalendarWindowLimit, "window" | "timeZone">;

/** A limit of these parts, which brings an algorithm that has the calendars: this file loads none. */
export function sealCalendarWindow(name: string | undefined, algorithm: object, parts: Parts): CalendarWindowLimit {
  const { capacity, window, timeZone, unit } = parts;
  const fingerprint = fingerprintOf("calendar-window", [capacity, window, timeZone], unit);
  return sealLimit(name, algorithm, { algorithm: "calendar-window", ...parts, fingerprint });
}

/** A limit with another capacity, which counts the same. */
export function withCapacity(limit: CalendarWindowLimit, capacity: number): CalendarWindowLimit {
  const { name, unit, mode, window, timeZone } = limit;
  return sealCalendarWindow(name, algorithmOf(limit), { name, unit, mode, window, timeZone, capacity });
}
