import { randomBelow } from "../harness/keys.ts";

/** Keys prepared off-clock before the decisions on the clock. A multiple of `BATCH` and `GROUP`. */
export const CHUNK = 4_096;
/** Decisions in a call of `allowMany`. */
export const BATCH = 64;
/** New keys between two readings of the clock, for the worst stall. */
export const GROUP = 16;

/** Units of a key: more than a job takes of one, or a single unit. */
export const UNITS = { ample: 3_000_000, exhausted: 1 } as const;

/** The order of keys: each as likely, the key of rank r in proportion to 1/r, or in turn as they were inserted. */
export type Order = "uniform" | "zipf" | "in turn";

export const TABLES = {
  hot: "Admitted: one hot key",
  thousand: "Admitted: 1,000 keys",
  million: "Admitted: 1,000,000 keys, each as likely",
  "million-zipf": "Admitted: 1,000,000 keys, the key of rank r in proportion to 1/r",
  "million-in-turn": "Admitted: 1,000,000 keys with a handle each, in the order in which they were made",
  "denied-hot": "Denied: one hot key",
  "denied-thousand": "Denied: 1,000 keys",
} as const;

export type TableId = keyof typeof TABLES;

/** The work of one process with one contender: it inserts every key once, then makes the passes or weighs the keys. */
export interface Job {
  readonly id: JobId;
  readonly keys: number;
  /** Ample: every call is admitted. Exhausted: only the first call of a key is. */
  readonly limit: keyof typeof UNITS;
  /** Decisions about the inserted keys: for each table, the order of its keys. */
  readonly passes: Readonly<Partial<Record<TableId, Order>>>;
  /** Whether the job measures inserting: its stalls, the memory, and the pause of the collector afterwards. */
  readonly weighs: boolean;
  /** Chunks of decisions per pass: before the clock runs, and on the clock. */
  readonly warmUp: number;
  readonly chunks: number;
}

export type JobId = TableId | "million-handles" | "million-batches" | "weight";

const RANDOM: Job["passes"] = { million: "uniform", "million-zipf": "zipf" };
const HANDLES: Job["passes"] = { "million-in-turn": "in turn", million: "uniform" };

export const JOBS: readonly Job[] = [
  small("hot", 1, "ample"),
  small("thousand", 1_000, "ample"),
  large("million", RANDOM),
  large("million-batches", RANDOM),
  large("million-handles", HANDLES),
  { ...large("weight", {}), weighs: true },
  small("denied-hot", 1, "exhausted"),
  small("denied-thousand", 1_000, "exhausted"),
];

function small(id: TableId, keys: number, limit: Job["limit"]): Job {
  return { id, keys, limit, passes: { [id]: "uniform" }, weighs: false, warmUp: 64, chunks: 256 };
}

function large(id: JobId, passes: Job["passes"]): Job {
  return { id, keys: 1_000_000, limit: "ample", passes, weighs: false, warmUp: 32, chunks: 128 };
}

export function keysIn(table: TableId): number {
  return JOBS.find(({ passes }) => table in passes)!.keys;
}

const SEED = 20_260_101;
/** Coprime to the numbers of keys, so that every rank has its own key. */
const STRIDE = 611_953;

/** Returns the indices of the next chunk of keys, in an array that it reuses. */
export type Draw = () => Uint32Array;

export function drawIn(order: Order, keys: number): Draw {
  const next = nextIn(order, keys);
  const indices = new Uint32Array(CHUNK);
  return () => {
    for (let i = 0; i < CHUNK; i += 1) indices[i] = next();
    return indices;
  };
}

function nextIn(order: Order, keys: number): () => number {
  const below = randomBelow(SEED);
  switch (order) {
    case "uniform":
      return () => below(keys);
    case "zipf":
      return zipf(below, keys);
    case "in turn": {
      let next = -1;
      return () => {
        next = next + 1 === keys ? 0 : next + 1;
        return next;
      };
    }
    default:
      return order satisfies never;
  }
}

/** Scatters the ranks over the keys. Otherwise the busy keys came first, and lay side by side in some stores. */
function zipf(below: (count: number) => number, keys: number): () => number {
  const cumulative = new Float64Array(keys);
  let sum = 0;
  for (let rank = 0; rank < keys; rank += 1) {
    sum += 1 / (rank + 1);
    cumulative[rank] = sum;
  }
  return () => (firstAbove(cumulative, (below(2 ** 32) / 2 ** 32) * sum) * STRIDE) % keys;
}

/** The index of the first number above `value` in an ascending array whose last number is above it. */
function firstAbove(ascending: Float64Array, value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
