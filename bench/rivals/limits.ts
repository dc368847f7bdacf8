/** Longer than any job takes: no window ends, and no timer goes off, while the clock runs. */
export const WINDOW_MS = 3_600_000;
