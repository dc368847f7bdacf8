export const YEAR_US: number = 365.25 * 86_400_000_000;
/** The end of 41 bits of milliseconds, in 2039. */
export const LAST_US: number = (2 ** 41 - 1) * 1_000;
/** How far from its start a clock strays: any two of its moments are so near that their difference in ticks is exact. */
export const REACH_US: number = 14 * YEAR_US;
