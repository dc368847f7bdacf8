import { FixedWindow, type WindowRules } from "./fixed-window.ts";
import type { ModelCalendarUnit, ModelCalendarWindow, ModelZone } from "./model-limit.ts";
import { floorDiv } from "./whole-numbers.ts";

const SECOND_US = 1_000_000n;
const HOUR_US = 3_600n * SECOND_US;
const DAY_US = 24n * HOUR_US;

/** Windows by the calendar, by rules of zones that are written down here: nothing is asked of the runtime. */
export class CalendarWindowRules implements WindowRules {
  readonly capacity: bigint;
  readonly recordsFirstTouch = false;
  readonly idleTtlUs = 0n;
  readonly #unit: ModelCalendarUnit;
  readonly #zone: ModelZone;

  constructor({ limit, window, timeZone }: ModelCalendarWindow) {
    this.capacity = limit;
    this.#unit = window;
    this.#zone = timeZone;
  }

  fresh(): FixedWindow {
    return new FixedWindow(this, 0n, 0n);
  }

  /** The first midnight after now that begins a window. */
  endUs(nowUs: bigint): bigint {
    const today = floorDiv(nowUs + offsetUs(this.#zone, nowUs), DAY_US);
    for (let day = today + 1n; ; day += 1n) {
      const startUs = dayStartUs(this.#zone, day);
      if (beginsWindow(day, this.#unit) && startUs > nowUs) return startUs;
    }
  }
}

/** Days are counted from 1970-01-01. */
function beginsWindow(day: bigint, unit: ModelCalendarUnit): boolean {
  const { month, dayOfMonth } = civil(day);
  switch (unit) {
    case "day":
      return true;
    case "week":
      return weekday(day) === 1n;
    case "month":
      return dayOfMonth === 1n;
    case "year":
      return dayOfMonth === 1n && month === 1n;
    default:
      return unit satisfies never;
  }
}

/** Midnight by the offset that holds then. No zone here changes clocks at midnight, except that Apia left out a day. */
function dayStartUs(zone: ModelZone, day: bigint): bigint {
  const shownUs = day * DAY_US;
  const found = [...new Set(OFFSETS[zone])]
    .map((offset) => shownUs - offset)
    .find((us) => offsetUs(zone, us) === shownUs - us);
  return found ?? APIA_SKIPS_US;
}

const hours = (...all: readonly number[]): readonly bigint[] => all.map((hour) => BigInt(hour * 3_600) * SECOND_US);

/** All offsets that a zone has. */
const OFFSETS: Readonly<Record<ModelZone, readonly bigint[]>> = {
  UTC: hours(0),
  "Asia/Kolkata": hours(5.5),
  "Europe/Berlin": hours(1, 2),
  "America/New_York": hours(-5, -4),
  "Pacific/Apia": hours(-11, -10, 13, 14),
};

/** 2011-12-30 was no day in Samoa, which went from one side of the date line to the other. */
const APIA_SKIPS_US = momentOf(2011n, 12n, 30n, 10n);

/** How far clocks are ahead of UTC; for the zones of clock changes from 2010 on. */
function offsetUs(zone: ModelZone, us: bigint): bigint {
  const { year } = civil(floorDiv(us, DAY_US));
  switch (zone) {
    case "UTC":
      return 0n;
    case "Asia/Kolkata":
      return 11n * (HOUR_US / 2n);
    case "Europe/Berlin": {
      // From the last Sunday of March to that of October, at 1:00 UTC.
      const begins = sundayUntil(dayOf(year, 3n, 31n)) * DAY_US + HOUR_US;
      const ends = sundayUntil(dayOf(year, 10n, 31n)) * DAY_US + HOUR_US;
      return us >= begins && us < ends ? 2n * HOUR_US : HOUR_US;
    }
    case "America/New_York": {
      // From the second Sunday of March to the first of November, at 2:00 by the clocks.
      const begins = sundayUntil(dayOf(year, 3n, 14n)) * DAY_US + 7n * HOUR_US;
      const ends = sundayUntil(dayOf(year, 11n, 7n)) * DAY_US + 6n * HOUR_US;
      return us >= begins && us < ends ? -4n * HOUR_US : -5n * HOUR_US;
    }
    case "Pacific/Apia":
      return apiaOffsetUs(us);
    default:
      return zone satisfies never;
  }
}

/** From 2010 to 2021: summer time from the last Sunday of September to the first of April, at 3:00 and 4:00. */
function apiaOffsetUs(us: bigint): bigint {
  if (us < APIA_SKIPS_US) {
    const isFirstSummer = us >= momentOf(2010n, 9n, 26n, 11n) && us < momentOf(2011n, 4n, 2n, 14n);
    return (isFirstSummer || us >= momentOf(2011n, 9n, 24n, 14n) ? -10n : -11n) * HOUR_US;
  }
  const { year } = civil(floorDiv(us, DAY_US));
  // The clocks of both changes show the day after that of UTC.
  const ends = (sundayUntil(dayOf(year, 4n, 7n)) - 1n) * DAY_US + 14n * HOUR_US;
  const begins = (sundayUntil(dayOf(year, 9n, 30n)) - 1n) * DAY_US + 14n * HOUR_US;
  const isSummer = us < ends ? year <= 2021n : us >= begins && year <= 2020n;
  return (isSummer ? 14n : 13n) * HOUR_US;
}

function momentOf(year: bigint, month: bigint, dayOfMonth: bigint, hour: bigint): bigint {
  return dayOf(year, month, dayOfMonth) * DAY_US + hour * HOUR_US;
}

/** Monday is 1, Sunday 0. 1970-01-01 was a Thursday. */
function weekday(day: bigint): bigint {
  return day + 4n - floorDiv(day + 4n, 7n) * 7n;
}

function sundayUntil(day: bigint): bigint {
  return day - weekday(day);
}

/** The day of a date, by counting the days of years that begin in March. */
function dayOf(year: bigint, month: bigint, dayOfMonth: bigint): bigint {
  const shifted = month > 2n ? year : year - 1n;
  const monthFromMarch = (month + 9n) % 12n;
  const leapDays = floorDiv(shifted, 4n) - floorDiv(shifted, 100n) + floorDiv(shifted, 400n);
  return 365n * shifted + leapDays + (153n * monthFromMarch + 2n) / 5n + dayOfMonth - 1n - 719_468n;
}

/** The date of a day: the year is tried, then the month. */
function civil(day: bigint): { readonly year: bigint; readonly month: bigint; readonly dayOfMonth: bigint } {
  let year = 1970n + floorDiv(day, 366n);
  while (dayOf(year + 1n, 1n, 1n) <= day) year += 1n;
  while (dayOf(year, 1n, 1n) > day) year -= 1n;
  let month = 12n;
  while (dayOf(year, month, 1n) > day) month -= 1n;
  return { year, month, dayOfMonth: day - dayOf(year, month, 1n) + 1n };
}
