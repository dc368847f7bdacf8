/** The window of those that count fixed ones: none ends while it is asked about. */
export const DAY_MS = 86_400_000;
