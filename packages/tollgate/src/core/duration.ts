import { show, TollgateError } from "./errors.ts";

type Week = `${number}w`;
type Day = `${number}d`;
type Hour = `${number}h`;
type Minute = `${number}m`;
type Second = `${number}s`;
type Millisecond = `${number}ms`;

/**
 * A span of time: a number of milliseconds, or text such as `"250ms"`, `"10s"`, `"1m"`, `"2h"`, `"1d"`, `"1w"`,
 * `"1h30m"` (larger parts first). A whole number of microseconds, above zero, at most ten years.
 */
export type Duration =
  | number
  | `${Week | ""}${Day | ""}${Hour | ""}${Minute | ""}${Second}`
  | `${Week | ""}${Day | ""}${Hour | ""}${Minute | ""}${Second | ""}${Millisecond}`
  | `${Week | ""}${Day | ""}${Hour | ""}${Minute}`
  | `${Week | ""}${Day | ""}${Hour}`
  | `${Week | ""}${Day}`
  | Week;

const US_PER_MS = 1000;
/** Ten years. Longer spans would leave too few bits for exact arithmetic. */
export const LONGEST_US: number = 3_652.5 * 86_400_000_000;

const UNITS = [
  { unit: "w", unitUs: 604_800_000_000 },
  { unit: "d", unitUs: 86_400_000_000 },
  { unit: "h", unitUs: 3_600_000_000 },
  { unit: "m", unitUs: 60_000_000 },
  { unit: "s", unitUs: 1_000_000 },
  { unit: "ms", unitUs: 1_000 },
] as const;

const PATTERN = new RegExp(`^${UNITS.map(({ unit }) => `(?:(\\d{1,16})(?:\\.(\\d{1,4}))?${unit})?`).join("")}$`);

/**
 * A duration in whole microseconds.
 *
 * @throws TollgateError `ERR_DURATION`, naming `option`, when it is no duration.
 */
export function toMicroseconds(option: string, duration: Duration): number {
  const us = microsecondsOf(duration);
  if (us > 0) return us;
  throw new TollgateError(
    "ERR_DURATION",
    `${option}: expected milliseconds or text such as "250ms", "10s", "1h30m" (whole microseconds, above 0, ` +
      `at most 10 years), got ${show(duration)}`,
  );
}

/** The same without an error: NaN unless it is a duration. */
export function microsecondsOf(duration: unknown): number {
  const us = typeof duration === "string" ? parse(duration) : fromMilliseconds(duration);
  return Number.isSafeInteger(us) && us > 0 && us <= LONGEST_US ? us : Number.NaN;
}

/** Whether it is 0, or a text such as `"0s"`: no duration, but some options accept it. */
export function isZero(duration: unknown): boolean {
  return duration === 0 || (typeof duration === "string" && /^0(?:w|d|h|m|s|ms)$/.test(duration));
}

/** Whole microseconds as milliseconds. */
export function toMilliseconds(us: number): number {
  return us / US_PER_MS;
}

/**
 * Microseconds as text, such as `1h30m`; `0.5ms` below a millisecond. The largest unit is the day, so that the default
 * names of limits stay what they are in stores.
 */
export function formatMicroseconds(us: number): string {
  let rest = us;
  let text = "";
  // From the day on, until nothing is left.
  for (let i = 1; i < UNITS.length && rest > 0; i += 1) {
    const { unit, unitUs } = UNITS[i]!;
    const count = unit === "ms" ? rest / unitUs : Math.floor(rest / unitUs);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * unitUs;
  }
  return text;
}

/** NaN unless the milliseconds are a whole number of microseconds. 1.1 is, although the float 1.1 * 1000 is not. */
function fromMilliseconds(ms: unknown): number {
  if (typeof ms !== "number") return Number.NaN;
  const us = Math.round(ms * US_PER_MS);
  return us / US_PER_MS === ms ? us : Number.NaN;
}

/** NaN if the text is no duration; a fraction if it is no whole number of microseconds. */
function parse(text: string): number {
  const match = PATTERN.exec(text);
  if (match === null || text === "") return Number.NaN;
  let us = 0;
  UNITS.forEach(({ unitUs }, index) => {
    const whole = match[1 + 2 * index];
    const fraction = match[2 + 2 * index] ?? "";
    if (whole === undefined) return;
    // Digits instead of a float: "1.1s" must be exactly 1,100,000 µs.
    us += Number(whole) * unitUs + (Number(fraction) * unitUs) / 10 ** fraction.length;
  });
  return us;
}
