const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const CLF = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)$/;
const ISO = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?$/;

/** The length of `10/Oct/2026:13:55:36 +0000`. */
export const CLF_LENGTH = 26;

/** Microseconds of a stamp such as `10/Oct/2026:13:55:36 +0000`; NaN for other text. */
export function clfTimeUs(text: string): number {
  const match = CLF.exec(text);
  if (match === null) return Number.NaN;
  const [, day, month = "", year, hours, minutes, seconds, sign, zoneHours, zoneMinutes] = match;
  const offsetMinutes = (sign === "-" ? -1 : 1) * (Number(zoneHours) * 60 + Number(zoneMinutes));
  const monthIndex = MONTHS.indexOf(month);
  if (monthIndex < 0) return Number.NaN;
  const ms = Date.UTC(Number(year), monthIndex, Number(day), Number(hours), Number(minutes), Number(seconds));
  return (ms - offsetMinutes * 60_000) * 1_000;
}

/** Microseconds of an ISO 8601 stamp, in UTC unless it says otherwise; NaN for other text. */
export function isoTimeUs(text: string): number {
  const match = ISO.exec(text);
  if (match === null) return Number.NaN;
  const [, date, time, fraction = "", zone = "Z"] = match;
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  const ms = Date.parse(`${date}T${time}${offset}`);
  return ms * 1_000 + Number(fraction.padEnd(6, "0").slice(0, 6));
}

/** Microseconds of a number of seconds, milliseconds, microseconds or nanoseconds since the epoch, by its size. */
function epochTimeUs(value: number): number {
  if (!(value > 0)) return Number.NaN;
  if (value < 1e11) return Math.round(value * 1e6);
  if (value < 1e14) return Math.round(value * 1e3);
  return value < 1e17 ? Math.round(value) : Math.round(value / 1e3);
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
  readonly #parse: (text: string) => number;
  #text = "";
  #us = Number.NaN;

  constructor(parse: (text: string) => number) {
    this.#parse = parse;
  }

  /** The time of the stamp that a line has from `start` to `end`. */
  timeUs(line: string, start: number, end: number): number {
    if (end - start !== this.#text.length || !line.startsWith(this.#text, start)) {
      this.#text = line.slice(start, end);
      this.#us = this.#parse(this.#text);
    }
    return this.#us;
  }
}
