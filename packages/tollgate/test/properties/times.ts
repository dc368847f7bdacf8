/** Microseconds: the unit of all times in scenarios. */
export const SECOND_US = 1_000_000;
export const MINUTE_US: number = 60 * SECOND_US;
export const HOUR_US: number = 60 * MINUTE_US;
export const DAY_US: number = 24 * HOUR_US;
export const YEAR_US: number = 365.25 * DAY_US;

/** In July 2026, on a whole second. */
export const TODAY_US = 1_784_000_000_000_000;

/** The end of 41 bits of milliseconds, in 2039. */
export const LAST_US: number = (2 ** 41 - 1) * 1_000;

/** How far a clock strays from its start: the difference of any two of its moments is exact in ticks. */
export const REACH_US: number = 14 * YEAR_US;
