/** Precedes a report if a block is in force after the call. No report begins with it. */
export const BLOCK_MARK = -99;
