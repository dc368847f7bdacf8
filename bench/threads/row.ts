/** How many threads decide at a time. */
export const THREAD_COUNTS = [1, 2, 4] as const;
export type ThreadCount = (typeof THREAD_COUNTS)[number];

/** A table of the report: what its rows have been asked. */
export type GroupId = "threads-hot" | "threads-keys";

export const GROUPS: readonly { readonly id: GroupId; readonly title: string }[] = [
  { id: "threads-hot", title: "Across threads: one hot key" },
  { id: "threads-keys", title: "Across threads: 100,000 keys, each thread in an order of its own" },
];

/** A row of the report. */
interface Common {
  readonly group: GroupId;
  readonly id: string;
  readonly name: string;
  /** How it was set up. */
  readonly options: string;
}

/** Worker threads that share a store and decide by themselves. */
export interface SharedRow extends Common {
  readonly runs: "in shared memory";
  readonly variant: SharedVariant;
}

/** Worker threads that ask the thread which owns the limiter. */
export interface MessagesRow extends Common {
  readonly runs: "by messages";
}

/** Processes that ask the primary one, by way of rate-limiter-flexible. */
export interface ClusterRow extends Common {
  readonly runs: "in a cluster";
}

/** The same in Rust. */
export interface NativeRow extends Common {
  readonly runs: "natively";
  readonly program: "loop" | "table";
  readonly clock: "per call" | "coarse";
}

export type NodeRow = SharedRow | MessagesRow | ClusterRow;
export type Row = NodeRow | NativeRow;

/** What of the shared store a row measures. */
export interface SharedVariant {
  readonly form: "handle" | "string" | "strings";
  readonly clock: "per call" | "coarse";
  /** Ample: everything is admitted. Exhausted: nothing is. */
  readonly limit: "ample" | "exhausted";
  readonly limits: 1 | 2;
}
