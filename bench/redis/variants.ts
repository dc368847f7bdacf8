import { type CreateContender, consuming, incr, rateLimiterFlexible, rateLimitRedis, tollgate } from "./contenders.ts";

/** Which keys are asked about, in the order of the page. */
export const WORKLOADS = ["distinct keys", "one hot key", "denied keys"] as const;

export type Workload = (typeof WORKLOADS)[number];

/** Keys asked about in turn. Distinct ones are many more than calls in flight. Denied ones fit into a cache. */
export const KEYS = { "distinct keys": 20_000, "one hot key": 1, "denied keys": 1_000 } as const;

/** Units of a key: more than a measurement takes, or a single one. */
export const UNITS = { "distinct keys": 20_000_000, "one hot key": 20_000_000, "denied keys": 1 } as const;

export interface Entry {
  readonly id: string;
  readonly name: string;
  readonly workloads: readonly Workload[];
  /** An ioredis client with its defaults, or with `enableAutoPipelining`. */
  readonly client: "plain" | "auto-pipelined";
  /** Its command, as `INFO commandstats` names it. */
  readonly command: "incr" | "evalsha";
  readonly create: CreateContender;
}

const ADMITTED = ["distinct keys", "one hot key"] as const;
const DISTINCT = ["distinct keys"] as const;
const FLEXIBLE = "rate-limiter-flexible";
const flexible = rateLimiterFlexible({ blocks: false });
const threeLimits = tollgate({ periods: ["15s", "30s", "1m"] });

/** In the order of the page's rows. */
export const ENTRIES: readonly Entry[] = [
  { ...rowOf("incr", "INCR", ADMITTED, incr), client: "auto-pipelined", command: "incr" },
  rowOf("strict", "Tollgate, strict", DISTINCT, tollgate({ batch: false })),
  rowOf("batched", "Tollgate", WORKLOADS, tollgate()),
  rowOf("three-limits", "Tollgate, three limits", DISTINCT, threeLimits),
  rowOf("consume", "Tollgate, decisions", DISTINCT, consuming),
  rowOf("flexible", FLEXIBLE, ADMITTED, flexible),
  { ...rowOf("flexible-pipelined", `${FLEXIBLE}, auto-pipelined`, ADMITTED, flexible), client: "auto-pipelined" },
  rowOf("rate-limit-redis", "rate-limit-redis", ADMITTED, rateLimitRedis),
  rowOf("flexible-blocking", FLEXIBLE, ["denied keys"], rateLimiterFlexible({ blocks: true })),
];

function rowOf(id: string, name: string, workloads: readonly Workload[], create: CreateContender): Entry {
  return { id, name, workloads, client: "plain", command: "evalsha", create };
}

/** One limiter with one workload: a row of each table. */
export type Variant = { readonly id: string; readonly entry: Entry; readonly workload: Workload };

/** As in `batched`, `batched-hot`, `batched-denied`. */
function idOf(entry: string, workload: Workload): string {
  return `${entry}${{ "distinct keys": "", "one hot key": "-hot", "denied keys": "-denied" }[workload]}`;
}

export const VARIANTS: readonly Variant[] = WORKLOADS.flatMap((workload) =>
  ENTRIES.filter(({ workloads }) => workloads.includes(workload)).map((entry): Variant => {
    return { id: idOf(entry.id, workload), entry, workload };
  }),
);
