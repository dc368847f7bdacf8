import { type Limit, tokenBucket } from "tollgate";

export const THREAD_COUNTS = [1, 2, 4] as const;

export type Plan = { readonly warmUpMs: number; readonly windowMs: number };

export const FULL: Plan = { warmUpMs: 200, windowMs: 300 };
export const QUICK: Plan = { warmUpMs: 100, windowMs: 100 };

/** Units of a key: more than all threads take, and still counted exactly beside one unit per `UNIT_MS`. */
export const CAPACITY = 200_000_000;
/** The time in which a unit comes back: longer than a measurement, so that no key becomes idle. */
export const UNIT_MS = 10_000;
export const MANY_KEYS = 100_000;
/** Unanswered messages of each thread or process that asks another one. */
export const IN_FLIGHT = 64;

export const AMPLE: Limit = tokenBucket({ capacity: CAPACITY, refill: 1, per: UNIT_MS });

export const GROUPS = {
  "threads-hot": "Across threads: one hot key",
  "threads-keys": "Across threads: 100,000 keys, each thread in an order of its own",
} as const;

type Runs =
  | { readonly runs: "in shared memory"; readonly variant: SharedVariant }
  /** Processes ask the primary one. */
  | { readonly runs: "in a cluster" }
  /** The same in Rust. */
  | { readonly runs: "natively"; readonly clock: "per-call" | "coarse" };

export type Row = Runs & { readonly group: keyof typeof GROUPS; readonly id: string; readonly name: string };

export interface SharedVariant {
  readonly form: "handle" | "string" | "strings";
  readonly clock: "per call" | "coarse";
}

const RUST = { runs: "natively", group: "threads-keys" } as const;

/** In the order of the page's rows. */
export const ROWS: readonly Row[] = [
  shared("shared-handle", "handle", { form: "handle" }),
  shared("shared-handle-coarse", "handle, coarse clock", { form: "handle", clock: "coarse" }),
  shared("shared", "", {}),
  shared("shared-coarse", "coarse clock", { clock: "coarse" }),
  shared("shared-strings", "", { form: "strings" }),
  shared("shared-strings-coarse", "coarse clock", { form: "strings", clock: "coarse" }),
  { runs: "in a cluster", group: "threads-hot", id: "cluster", name: "rate-limiter-flexible, cluster" },
  { ...RUST, clock: "per-call", id: "rust-table", name: "Rust, such a table" },
  { ...RUST, clock: "coarse", id: "rust-table-coarse", name: "Rust, such a table, coarse clock" },
];

function shared(id: string, words: string, given: Partial<SharedVariant>): Row {
  const variant: SharedVariant = { form: "string", clock: "per call", ...given };
  const group = variant.form === "strings" ? "threads-keys" : "threads-hot";
  const name = words === "" ? "Tollgate shared" : `Tollgate shared, ${words}`;
  return { runs: "in shared memory", group, id, name, variant };
}
