/** Precedes a report if a block is in force after the call. No report and no rejection begins with it. */
export const BLOCK_MARK = -99;
