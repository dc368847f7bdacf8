const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const CLF = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):([01]\d|2[0-3]):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)$/;
const ISO = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?$/;

/** The length of `10/Oct/2026:13:55:36 +0000`. */
export const CLF_LENGTH = 26;

/** Microseconds of a stamp such as `10/Oct/2026:13:55:36 +0000`; NaN for other text. */
export function clfTimeUs(text: string): number {
  const match = CLF.exec(text);
  if (match === null) return Number.NaN;
  const [, day, month = "", year, hours, minutes, seconds, sign, zoneHours, zoneMinutes] = match;
  const offsetMinutes = (sign === "-" ? -1 : 1) * (Number(zoneHours) * 60 + Number(zoneMinutes));
  const monthNumber = String(MONTHS.indexOf(month) + 1).padStart(2, "0");
  const ms = Date.parse(`${year}-${monthNumber}-${day}T${hours}:${minutes}:${seconds}Z`);
  return plausible((ms - offsetMinutes * 60_000) * 1_000);
}

/** Microseconds of an ISO 8601 stamp, in UTC unless it says otherwise; NaN for other text. */
export function isoTimeUs(text: string): number {
  const match = ISO.exec(text);
  if (match === null) return Number.NaN;
  const [, date, time, fraction = "", zone = "Z"] = match;
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  const ms = Date.parse(`${date}T${time}${offset}`);
  return plausible(ms * 1_000 + Number(fraction.padEnd(6, "0").slice(0, 6)));
}

/** The end of the year 9999, after which a date does not fit its form. */
const MOST_US = 253_402_300_800_000_000;

/** NaN for a moment before 1970, which no server logged, or after 9999. */
function plausible(us: number): number {
  return us >= 0 && us < MOST_US ? us : Number.NaN;
}

/** Microseconds of a number of seconds, milliseconds, microseconds or nanoseconds since the epoch, by its size. */
function epochTimeUs(value: number): number {
  if (!(value > 0)) return Number.NaN;
  if (value < 1e11) return plausible(Math.round(value * 1e6));
  if (value < 1e14) return Math.round(value * 1e3);
  return plausible(Math.round(value < 1e17 ? value : value / 1e3));
}

/** Microseconds of a stamp in any of these forms; NaN for anything else. */
export function anyTimeUs(value: unknown): number {
  if (typeof value === "number") return epochTimeUs(value);
  if (typeof value !== "string") return Number.NaN;
  const iso = isoTimeUs(value);
  if (!Number.isNaN(iso)) return iso;
  const clf = clfTimeUs(value);
  if (!Number.isNaN(clf)) return clf;
  return /^\d+(\.\d+)?$/.test(value) ? epochTimeUs(Number(value)) : Number.NaN;
}

/** Parses each stamp once: neighbouring lines mostly have the same one. */
export class StampCache {
  #text = "";
  #us = Number.NaN;

  /** The time of the ISO 8601 stamp that a line has from `start` to `end`. */
  timeUs(line: string, start: number, end: number): number {
    if (end - start !== this.#text.length || !line.startsWith(this.#text, start)) {
      this.#text = line.slice(start, end);
      this.#us = isoTimeUs(this.#text);
    }
    return this.#us;
  }
}

const TIME_START = 11;
const TIME_END = 20;

/** Parses the date and the zone of a stamp once, and its seconds in each line. */
export class ClfStamps {
  #date: Uint8Array = new Uint8Array(CLF_LENGTH);
  #midnightUs = Number.NaN;

  /** The time of the stamp that begins at `start`; NaN for other bytes. */
  timeUs(bytes: Buffer, start: number): number {
    const seconds =
      pair(bytes, start + TIME_START + 1, 23) * 3_600 +
      pair(bytes, start + TIME_START + 4, 59) * 60 +
      pair(bytes, start + TIME_START + 7, 59);
    if (!this.#isOfDate(bytes, start)) {
      this.#date = Uint8Array.prototype.slice.call(bytes, start, start + CLF_LENGTH);
      this.#midnightUs = clfTimeUs(bytes.toString("latin1", start, start + CLF_LENGTH)) - seconds * 1e6;
    }
    return this.#midnightUs + seconds * 1e6;
  }

  #isOfDate(bytes: Buffer, start: number): boolean {
    const date = this.#date;
    for (let index = 0; index <= TIME_START; index += 1) if (bytes[start + index] !== date[index]) return false;
    if (bytes[start + 14] !== COLON || bytes[start + 17] !== COLON) return false;
    for (let index = TIME_END; index < CLF_LENGTH; index += 1) if (bytes[start + index] !== date[index]) return false;
    return true;
  }
}

const COLON = 58;

/** A number of two digits; NaN if it is greater than the most that it may be. */
function pair(bytes: Buffer, at: number, most: number): number {
  const tens = bytes[at]! - 48;
  const ones = bytes[at + 1]! - 48;
  const number = tens * 10 + ones;
  return tens >= 0 && ones >= 0 && ones <= 9 && number <= most ? number : Number.NaN;
}
