import { hasSame } from "../bytes.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const CLF = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d{4})$/;
const ISO = /^(\d{4}-\d\d-\d\d)[T ]((?:[01]\d|2[0-3]):\d\d:\d\d)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?$/;

/** Microseconds of an ISO 8601 stamp, in UTC unless it says otherwise; NaN for other text. */
export function isoTimeUs(text: string): number {
  const match = ISO.exec(text);
  if (match === null) return Number.NaN;
  const [, date, time, fraction = "", zone = "Z"] = match;
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  const ms = Date.parse(`${date}T${time}${offset}`);
  return plausible(ms * 1_000 + Number(fraction.padEnd(6, "0").slice(0, 6)));
}

/** Microseconds of a stamp such as `10/Oct/2026:13:55:36 +0000`; NaN for other text. */
export function clfTimeUs(text: string): number {
  const match = CLF.exec(text);
  if (match === null) return Number.NaN;
  const [, day, month = "", year, time, zone] = match;
  return isoTimeUs(`${year}-${String(MONTHS.indexOf(month) + 1).padStart(2, "0")}-${day}T${time}${zone}`);
}

/** The end of the year 9999, after which a date does not fit its form. */
const MOST_US = 253_402_300_800_000_000;

/** NaN for a moment before 1970, which no server logged, or after 9999. */
function plausible(us: number): number {
  return us >= 0 && us < MOST_US ? us : Number.NaN;
}

/** Microseconds of a number of seconds, milliseconds, microseconds or nanoseconds since the epoch, by its size. */
function epochTimeUs(value: number): number {
  const scale = value < 1e11 ? 1e6 : value < 1e14 ? 1e3 : value < 1e17 ? 1 : 1e-3;
  return value > 0 ? plausible(Math.round(value * scale)) : Number.NaN;
}

/** Microseconds of a stamp in any of these forms; NaN for anything else. */
export function anyTimeUs(value: string | number): number {
  if (typeof value === "number") return epochTimeUs(value);
  if (/^\d+(\.\d+)?$/.test(value)) return epochTimeUs(Number(value));
  const us = isoTimeUs(value);
  return Number.isNaN(us) ? clfTimeUs(value) : us;
}

/** The length of `10/Oct/2026:13:55:36 +0000`, of what is before the seconds, and of the zone. */
export const CLF_LENGTH = 26;
const MINUTE = 18;
const ZONE = 6;

/** Parses the minute and the zone of a stamp once, because neighbouring lines mostly share them. */
export class ClfStamps {
  /** The last stamp that was parsed. */
  #last: Buffer = Buffer.alloc(CLF_LENGTH);
  #minuteUs = Number.NaN;

  /** The time of the stamp from `start` on; NaN for other text. */
  timeUs(buffer: Buffer, start: number): number {
    const zone = CLF_LENGTH - ZONE;
    if (!(hasSame(this.#last, 0, buffer, start, MINUTE) && hasSame(this.#last, zone, buffer, start + zone, ZONE))) {
      this.#last = Buffer.from(buffer.subarray(start, start + CLF_LENGTH));
      const text = this.#last.toString("latin1");
      this.#minuteUs = clfTimeUs(`${text.slice(0, MINUTE)}00${text.slice(zone)}`);
    }
    const tens = buffer[start + MINUTE]! - 48;
    const ones = buffer[start + MINUTE + 1]! - 48;
    const isSecond = tens >= 0 && tens <= 5 && ones >= 0 && ones <= 9;
    return isSecond ? this.#minuteUs + (tens * 10 + ones) * 1e6 : Number.NaN;
  }
}
