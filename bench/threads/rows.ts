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
const ALSO_AMPLE = tokenBucket({ capacity: CAPACITY, refill: 1, per: UNIT_MS / 2 });
const EXHAUSTED = tokenBucket({ capacity: 1, refill: 1, per: "1h" });

export const GROUPS = {
  "threads-hot": "Across threads: one hot key",
  "threads-keys": "Across threads: 100,000 keys, each thread in an order of its own",
} as const;

type Runs =
  | { readonly runs: "in shared memory"; readonly variant: SharedVariant }
  /** Worker threads ask the thread that owns the limiter, or processes ask the primary one. */
  | { readonly runs: "by messages" | "in a cluster" }
  /** The same in Rust, with the words that the program takes. */
  | { readonly runs: "natively"; readonly program: "loop" | "table"; readonly clock: "per-call" | "coarse" };

export type Row = Runs & { readonly group: keyof typeof GROUPS; readonly id: string; readonly name: string };

export interface SharedVariant {
  readonly form: "handle" | "string" | "strings";
  readonly clock: "per call" | "coarse";
  /** Ample: every call is admitted. Exhausted: none is. */
  readonly limit: "ample" | "exhausted";
  readonly limits: 1 | 2;
}

export function limitsOf({ limit, limits }: Pick<SharedVariant, "limit" | "limits">): Limit[] {
  if (limit === "exhausted") return [EXHAUSTED];
  return limits === 1 ? [AMPLE] : [AMPLE, ALSO_AMPLE];
}

const LOOP = { runs: "natively", group: "threads-hot", program: "loop" } as const;
const TABLE = { runs: "natively", group: "threads-keys", program: "table" } as const;

/** In the order of the page's rows. */
export const ROWS: readonly Row[] = [
  shared("handle", "per call"),
  shared("handle", "coarse"),
  shared("string", "per call"),
  shared("string", "coarse"),
  shared("handle", "coarse", { limit: "exhausted" }),
  shared("handle", "coarse", { limits: 2 }),
  shared("strings", "per call"),
  shared("strings", "coarse"),
  { runs: "by messages", group: "threads-hot", id: "messages", name: "postMessage to an owner" },
  { runs: "in a cluster", group: "threads-hot", id: "cluster", name: "rate-limiter-flexible, cluster" },
  { ...LOOP, clock: "per-call", id: "rust-loop", name: "Rust, a loop around compare-and-swap" },
  { ...LOOP, clock: "coarse", id: "rust-loop-coarse", name: "Rust, a loop around compare-and-swap, coarse clock" },
  { ...TABLE, clock: "per-call", id: "rust-table", name: "Rust, such a table" },
  { ...TABLE, clock: "coarse", id: "rust-table-coarse", name: "Rust, such a table, coarse clock" },
];

/** Ids are as in `shared-handle`, `shared-two-limits-handle-coarse`, `shared-strings`. */
function shared(
  form: SharedVariant["form"],
  clock: SharedVariant["clock"],
  rest: Partial<Pick<SharedVariant, "limit" | "limits">> = {},
): Row {
  const variant = { form, clock, limit: "ample", limits: 1, ...rest } as const;
  const words = [
    variant.limits === 2 && "two limits",
    form === "handle" && "handle",
    variant.limit === "exhausted" && "denied",
    clock === "coarse" && "coarse clock",
  ].filter((word) => word !== false);
  const short = [form === "strings" && form, ...words]
    .filter(Boolean)
    .map((word) => String(word).replace(" clock", ""));
  return {
    runs: "in shared memory",
    group: form === "strings" ? "threads-keys" : "threads-hot",
    id: ["shared", ...short].join("-").replaceAll(" ", "-"),
    name: ["Tollgate shared", ...words].join(", "),
    variant,
  };
}
