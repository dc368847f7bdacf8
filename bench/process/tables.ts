/** Keys prepared off-clock before the decisions on the clock. A multiple of `BATCH`. */
export const CHUNK = 4_096;
/** Decisions in a call of `allowMany`. */
export const BATCH = 64;

/** Units of a key. Ample: every call is admitted. Exhausted: only the first of a key is. */
export const UNITS = { ample: 3_000_000, exhausted: 1 } as const;

interface TableOfKeys {
  readonly title: string;
  readonly keys: number;
  readonly units: keyof typeof UNITS;
}

/** Each row of a table is a process that makes its keys and inserts every key once. */
export const TABLES = {
  hot: { title: "one hot key", keys: 1, units: "ample" },
  thousand: { title: "1,000 keys", keys: 1_000, units: "ample" },
  million: { title: "1,000,000 keys", keys: 1_000_000, units: "ample" },
  denied: { title: "1,000 denied keys", keys: 1_000, units: "exhausted" },
  weight: { title: "While 1,000,000 keys come in", keys: 1_000_000, units: "ample" },
  shapes: { title: "ns a call of 1,000 keys, memory store, by what the limiter has", keys: 1_000, units: "ample" },
} as const satisfies Readonly<Record<string, TableOfKeys>>;

export type TableId = keyof typeof TABLES;

/** Chunks of decisions: before the clock runs, and on the clock. */
export interface Plan {
  readonly warmUp: number;
  readonly chunks: number;
}

/** A row of a table, as the process that measures it is told. */
export interface RowOrder {
  readonly table: TableId;
  readonly row: string;
  readonly plan: Plan;
}

export function planOf(table: TableId, quick: boolean): Plan {
  const full = TABLES[table].keys === 1_000_000 ? { warmUp: 32, chunks: 128 } : { warmUp: 64, chunks: 256 };
  return quick ? { warmUp: full.warmUp / 4, chunks: full.chunks / 8 } : full;
}
