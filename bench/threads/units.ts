/** What a key holds: more than all threads take of it, and as much as is counted exactly beside one unit in so long. */
export const CAPACITY = 200_000_000;
/** A unit comes back in so long. */
export const UNIT_MS = 10_000;

/** Keys of the rows that have many. */
export const MANY_KEYS = 100_000;
/** Messages that whoever asks another thread or process has on the way at a time. */
export const IN_FLIGHT = 64;
