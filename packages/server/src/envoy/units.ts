export type Unit = "second" | "minute" | "hour" | "day" | "month" | "year" | "week";

const DAY_MS = 86_400_000;

/**
 * The units of time of Envoy's limits. Windows begin at multiples of their length since the epoch, so weeks begin on
 * Thursday.
 */
export const UNITS: Readonly<Record<Unit, { readonly number: number; readonly lengthMs: number }>> = {
  second: { number: 1, lengthMs: 1_000 },
  minute: { number: 2, lengthMs: 60_000 },
  hour: { number: 3, lengthMs: 3_600_000 },
  day: { number: 4, lengthMs: DAY_MS },
  month: { number: 5, lengthMs: 30 * DAY_MS },
  year: { number: 6, lengthMs: 365 * DAY_MS },
  week: { number: 7, lengthMs: 7 * DAY_MS },
};

export const UNIT_NAMES = Object.keys(UNITS) as readonly Unit[];

/** `undefined` for a number that the protocol does not know. */
export function unitOf(number: number): Unit | undefined {
  return UNIT_NAMES.find((unit) => UNITS[unit].number === number);
}

const NUMBERS_BY_LENGTH: ReadonlyMap<number | undefined, number> = new Map(
  UNIT_NAMES.map((unit) => [UNITS[unit].lengthMs, UNITS[unit].number]),
);

/** The number of the unit of a length, 0 if the protocol has none. */
export function unitNumberOfLength(lengthMs: number | undefined): number {
  return NUMBERS_BY_LENGTH.get(lengthMs) ?? 0;
}
