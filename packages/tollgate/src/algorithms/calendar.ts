import { show, TollgateError } from "../core/errors.ts";
import type { CalendarUnit } from "../core/limits/limit.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** No zone is, or was, farther from UTC. */
const FARTHEST_MS = 16 * HOUR_MS;
/** No zone changes its clocks twice in this time. */
const STEP_MS = 4 * HOUR_MS;

/** How many milliseconds a zone's clocks are ahead of UTC at a moment. */
type OffsetAt = (ms: number) => number;

/**
 * The days, weeks, months or years of a time zone. A day begins at the first moment at which the zone's clocks show its
 * date. That is midnight, unless the clocks are put over it. The runtime's `Intl` knows the zones.
 */
export class Calendar {
  /** The window that was found last: most calls are in the same one. */
  startUs = 0;
  endUs = 0;
  readonly #unit: CalendarUnit;
  readonly #offsetAt: OffsetAt;

  /** @throws TollgateError `ERR_LIMIT` for a zone that the runtime does not know. */
  constructor(unit: CalendarUnit, timeZone: string) {
    this.#unit = unit;
    this.#offsetAt = offsetsOf(timeZone);
  }

  /** Finds the window of a moment. */
  find(us: number): this {
    if (us >= this.startUs && us < this.endUs) return this;
    const ms = Math.floor(us / 1_000);
    let index = indexOf(this.#unit, Math.floor((ms + this.#offsetAt(ms)) / DAY_MS));
    let startMs = this.#startOf(index);
    let endMs = this.#startOf(index + 1);
    // Clocks that are put back over midnight show the earlier date again. A day that a zone leaves out is empty.
    while (endMs <= ms) {
      index += 1;
      startMs = endMs;
      endMs = this.#startOf(index + 1);
    }
    this.startUs = startMs * 1_000;
    this.endUs = endMs * 1_000;
    return this;
  }

  /** The first moment at which the zone's clocks show the first date of a window, or a later one. */
  #startOf(index: number): number {
    const shownMs = firstDayOf(this.#unit, index) * DAY_MS;
    let ms = shownMs - FARTHEST_MS;
    for (;;) {
      const offset = this.#offsetAt(ms);
      const changeMs = this.#changeAfter(ms, offset);
      // Clocks that are put over midnight show the date when they are.
      if (shownMs - offset < changeMs) return Math.max(ms, shownMs - offset);
      ms = changeMs;
    }
  }

  /** When the clocks are changed, within a step; or its end. */
  #changeAfter(ms: number, offset: number): number {
    let before = ms;
    let after = ms + STEP_MS;
    if (this.#offsetAt(after) === offset) return after;
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.#offsetAt(middle) === offset) before = middle;
      else after = middle;
    }
    return after;
  }
}

/** The number of the window that has a day; days are counted from 1970-01-01, a Thursday. */
function indexOf(unit: CalendarUnit, day: number): number {
  switch (unit) {
    case "day":
      return day;
    case "week":
      return Math.floor((day + 3) / 7);
    case "month":
      return monthOf(day);
    case "year":
      return Math.floor(monthOf(day) / 12);
    default:
      return unit satisfies never;
  }
}

/** The first day of a window. */
function firstDayOf(unit: CalendarUnit, index: number): number {
  switch (unit) {
    case "day":
      return index;
    case "week":
      return index * 7 - 3;
    case "month":
      return Date.UTC(1970, index) / DAY_MS;
    case "year":
      return firstDayOf("month", index * 12);
    default:
      return unit satisfies never;
  }
}

/** The months from 1970-01 to that of a day. */
function monthOf(day: number): number {
  const date = new Date(day * DAY_MS);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

function offsetsOf(timeZone: string): OffsetAt {
  if (timeZone === "UTC") return () => 0;
  const format = formatOf(timeZone);
  return (ms) => {
    const shown: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
    for (const { type, value } of format.formatToParts(ms)) shown[type] = value;
    const { year, month, day, hour, minute, second } = shown;
    const shownMs = Date.UTC(
      Number(year),
      Number(month) - 1,
      Number(day),
      Number(hour),
      Number(minute),
      Number(second),
    );
    return shownMs - Math.floor(ms / 1_000) * 1_000;
  };
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US", {
      ...{ timeZone, calendar: "gregory", numberingSystem: "latn", hourCycle: "h23" },
      ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" },
    });
  } catch (error) {
    throw unknownZoneError(timeZone, error);
  }
}

function unknownZoneError(timeZone: unknown, cause: unknown): TollgateError {
  const lacks = typeof Intl === "undefined" ? '; it has no Intl, so it knows "UTC" alone' : "";
  const expected = 'a zone that this runtime knows, such as "UTC" or "Europe/Berlin"';
  return new TollgateError("ERR_LIMIT", `timeZone: expected ${expected}, got ${show(timeZone)}${lacks}`, { cause });
}
