import { type KeyText, randomBelow } from "../harness/keys.ts";

/** Keys prepared off-clock before the decisions on the clock. A multiple of `BATCH`. */
export const CHUNK = 4_096;
/** Decisions in a call of `allowMany`. */
export const BATCH = 64;
/** Reservations that one verb keeps open. */
export const OPEN_RESERVATIONS = 10_000;

/** Units of a key: more than a job takes of one, or a single unit. */
export const UNITS = { ample: 3_000_000, exhausted: 1, refilled: 3_000_000 } as const;

/** Each key as likely, the key of rank r in proportion to 1/r with a new key in every hundredth call, or in turn. */
export type Order = "uniform" | "zipf and new" | "in turn";

/** The calls of a row. A job may have its rows make other calls. */
export type Verb = "allow" | "consume" | "peek" | "charge" | "refund" | "handles" | "batches" | Reserving;

/** `reserve` and what ends the reservation, by how the actual cost compares with the estimate. */
export type Reserving = "settle at the estimate" | "settle below it" | "settle above it" | "cancel" | "open";

export const TABLES = {
  hot: "Admitted: one hot key",
  thousand: "Admitted: 1,000 keys",
  million: "Admitted: 1,000,000 keys, each as likely",
  "million-new": "Admitted: 1,000,000 keys, the key of rank r in proportion to 1/r; every hundredth key is new",
  "million-in-turn": "Admitted: 1,000,000 keys with a handle each, in the order in which they were made",
  "denied-hot": "Denied: one hot key",
  "denied-thousand": "Denied: 1,000 keys",
} as const;

export type TableId = keyof typeof TABLES;

/** Tables with several figures a row: a job each. */
export type FiguresTable = "verbs" | "texts" | "refilled" | "weight" | "reserving";

type Passes = Readonly<Partial<Record<TableId | FiguresTable, Order>>>;

/** The work of one process with one contender: it inserts every key once, then makes the passes or what is special. */
export interface Job {
  readonly id: string;
  /** What its passes measure, as columns name it: `ns` where a table has one figure. */
  readonly figure: string;
  readonly keys: number;
  readonly text: KeyText;
  /** Ample: every call is admitted. Exhausted: only the first of a key is. Refilled: a key is full after 1 µs. */
  readonly limit: keyof typeof UNITS;
  /** Instead of the row's own. */
  readonly verb?: Verb;
  /** Decisions about the inserted keys: for each table, the order of its keys. */
  readonly passes: Passes;
  /** Inserting: its stalls, the memory, the collector. A minute: memory after that. Upkeep: sweeping and clearing. */
  readonly special?: "inserting" | "a minute" | "upkeep";
  /** Chunks of decisions per pass: before the clock runs, and on the clock. */
  readonly warmUp: number;
  readonly chunks: number;
}

const HANDLES: Passes = { "million-in-turn": "in turn", million: "uniform" };

export const KEY_COUNTS = [1, 1_000, 100_000] as const;
export const TEXTS = ["IPv4", "IPv6 /64", "200 characters"] as const;
export const VERBS = ["allow", "consume", "peek", "charge", "refund"] as const;

export const JOBS: readonly Job[] = [
  small("hot", 1, "ample"),
  small("thousand", 1_000, "ample"),
  large("million"),
  large("million-batches"),
  large("million-handles", HANDLES),
  large("million-new", { "million-new": "zipf and new" }),
  { ...large("weight", {}), special: "inserting" },
  small("denied-hot", 1, "exhausted"),
  small("denied-thousand", 1_000, "exhausted"),
  ...VERBS.map((verb) => ({ ...figured("verbs", verb, 1_000), verb })),
  ...TEXTS.map((text) => ({ ...figured("texts", text, 1_000), text })),
  ...KEY_COUNTS.flatMap((keys): Job[] => [
    figured("refilled", `${keys}, busy`, keys),
    { ...figured("refilled", `${keys}, full again`, keys), limit: "refilled" },
  ]),
  { ...figured("refilled", "a minute", 100_000), limit: "refilled", special: "a minute" },
  { ...figured("weight", "upkeep", 1_000), special: "upkeep" },
];

function small(id: TableId | FiguresTable, keys: number, limit: Job["limit"]): Job {
  return { id, figure: "ns", keys, text: "IPv4", limit, passes: { [id]: "uniform" }, warmUp: 64, chunks: 256 };
}

/** Its id is as in `verbs: peek`. */
export function figured(table: FiguresTable, figure: string, keys: number): Job {
  return { ...small(table, keys, "ample"), id: `${table}: ${figure}`, figure };
}

function large(id: string, passes: Passes = { million: "uniform" }): Job {
  return { ...small("million", 1_000_000, "ample"), id, passes, warmUp: 32, chunks: 128 };
}

export function keysIn(table: TableId): number {
  return JOBS.find(({ passes }) => table in passes)!.keys;
}

/** The keys that a job inserts, and those that are new in its passes. */
export function allKeysOf({ keys, passes, warmUp, chunks }: Job): number {
  const isNew = Object.values(passes).includes("zipf and new");
  return isNew ? keys + Math.ceil(((warmUp + chunks) * CHUNK) / NEW_ONE_IN) : keys;
}

const NEW_ONE_IN = 100;
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
    case "zipf and new": {
      const known = zipf(below, keys);
      let calls = 0;
      return () => {
        calls += 1;
        return calls % NEW_ONE_IN === 0 ? keys + calls / NEW_ONE_IN - 1 : known();
      };
    }
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
