/** A moment in 2026. */
export const START_MS = 1_790_000_000_123;
