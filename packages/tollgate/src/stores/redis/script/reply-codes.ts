/** Precedes a report if a block is in force after the call. No report begins with it. */
export const BLOCK_MARK = -99;
/** What a report adds to the units in use of a limit under which the same call would conform at once. */
export const FITS = 2;
