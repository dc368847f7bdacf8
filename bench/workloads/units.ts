/** Units that a key has: more than any job uses of one, or a single one. */
export const UNITS = { ample: 3_000_000, exhausted: 1 } as const;
