import type { TableId } from "../workloads/job.ts";

/** What one process found out about one contender. */
export interface Measurements {
  /** Nanoseconds a decision. */
  readonly ns: Partial<Record<TableId, number>>;
  readonly weight?: Weight;
}

/** What a million keys weigh. */
export interface Weight {
  /** On the heap and beside it, the keys' own text included where the store keeps it. */
  readonly bytesPerKey: number;
  /** The longest that any 16 calls with new keys took. */
  readonly worstStallMs: number;
  /** A full collection while the keys are held. */
  readonly collectMs: number;
}
