/** So many keys are made off-clock, and then decided about on the clock. A multiple of a batch and of a group. */
export const CHUNK = 4_096;

/** Decisions in a call of `allowMany`. */
export const BATCH = 64;

/** New keys that are inserted between two readings of the clock when the worst stall is looked for. */
export const GROUP = 16;
