import type { Order } from "./order.ts";

/** A table of the report: what its rows have been asked. */
export type TableId =
  | "hot"
  | "thousand"
  | "million"
  | "million-zipf"
  | "million-in-turn"
  | "denied-hot"
  | "denied-thousand";

export const TABLES: readonly { readonly id: TableId; readonly title: string }[] = [
  { id: "hot", title: "Admitted: one hot key" },
  { id: "thousand", title: "Admitted: 1,000 keys" },
  { id: "million", title: "Admitted: 1,000,000 keys, each as likely" },
  { id: "million-zipf", title: "Admitted: 1,000,000 keys, the key of rank r in proportion to 1/r" },
  { id: "million-in-turn", title: "Admitted: 1,000,000 keys with a handle each, in the order in which they were made" },
  { id: "denied-hot", title: "Denied: one hot key" },
  { id: "denied-thousand", title: "Denied: 1,000 keys" },
];

export type JobId =
  | "hot"
  | "thousand"
  | "million"
  | "million-handles"
  | "million-batches"
  | "weight"
  | "denied-hot"
  | "denied-thousand";

/** Decisions about keys that are all there already, in one order. */
export interface Pass {
  readonly table: TableId;
  readonly order: Order;
}

/** What one process does with one contender: it inserts every key once, and then makes the passes or weighs them. */
export interface Job {
  readonly id: JobId;
  readonly keys: number;
  /** Ample: everything is admitted. Exhausted: a key's first call is, and no other. */
  readonly limit: "ample" | "exhausted";
  readonly passes: readonly Pass[];
  /** Whether inserting is what is measured: its stalls, the memory it takes and the collector's pause afterwards. */
  readonly weighs: boolean;
  /** Chunks of decisions before each pass's measured ones, and measured. */
  readonly warmUp: number;
  readonly chunks: number;
}

const SMALL = { weighs: false, warmUp: 64, chunks: 256 } as const;
const LARGE = { keys: 1_000_000, limit: "ample", warmUp: 32, chunks: 128 } as const;
const UNIFORM_AND_ZIPF: readonly Pass[] = [
  { table: "million", order: "uniform" },
  { table: "million-zipf", order: "zipf" },
];

export const JOBS: readonly Job[] = [
  { ...SMALL, id: "hot", keys: 1, limit: "ample", passes: [{ table: "hot", order: "uniform" }] },
  { ...SMALL, id: "thousand", keys: 1_000, limit: "ample", passes: [{ table: "thousand", order: "uniform" }] },
  { ...LARGE, id: "million", weighs: false, passes: UNIFORM_AND_ZIPF },
  { ...LARGE, id: "million-batches", weighs: false, passes: UNIFORM_AND_ZIPF },
  {
    ...LARGE,
    id: "million-handles",
    weighs: false,
    passes: [
      { table: "million-in-turn", order: "in turn" },
      { table: "million", order: "uniform" },
    ],
  },
  { ...LARGE, id: "weight", weighs: true, passes: [] },
  { ...SMALL, id: "denied-hot", keys: 1, limit: "exhausted", passes: [{ table: "denied-hot", order: "uniform" }] },
  {
    ...SMALL,
    id: "denied-thousand",
    keys: 1_000,
    limit: "exhausted",
    passes: [{ table: "denied-thousand", order: "uniform" }],
  },
];

export function jobOf(id: JobId): Job {
  const job = JOBS.find((one) => one.id === id);
  if (job === undefined) throw new Error(`no job is called ${id}`);
  return job;
}
