import {
  type CreateContender,
  consuming,
  incr,
  rateLimiterFlexible,
  rateLimitRedis,
  threeLimits,
  tollgate,
} from "./contenders.ts";

/** Which keys are asked about, in the order of the page. */
export const WORKLOADS = ["distinct keys", "one hot key", "denied keys"] as const;

export type Workload = (typeof WORKLOADS)[number];

/** Keys asked about in turn. Distinct ones are many more than calls in flight; denied ones fit into a cache of denials. */
export const KEYS: Readonly<Record<Workload, number>> = {
  "distinct keys": 20_000,
  "one hot key": 1,
  "denied keys": 1_000,
};

/** Units of a key: more than a measurement takes, or a single one. */
export const UNITS: Readonly<Record<Workload, number>> = {
  "distinct keys": 20_000_000,
  "one hot key": 20_000_000,
  "denied keys": 1,
};

/** A limiter and how it is set up. */
export interface Entry {
  readonly id: string;
  readonly name: string;
  readonly options: string;
  readonly workloads: readonly Workload[];
  /** An ioredis client with its defaults, or with `enableAutoPipelining`. */
  readonly client: "plain" | "auto-pipelined";
  /** Its command, as `INFO commandstats` names it. */
  readonly command: "incr" | "evalsha";
  readonly create: CreateContender;
}

const ADMITTED = ["distinct keys", "one hot key"] as const;
const DISTINCT = ["distinct keys"] as const;
const PIPELINED = { client: "auto-pipelined" } as const;
const FLEXIBLE = "rate-limiter-flexible";
const FLEXIBLE_OPTIONS = "storeClient, points, duration: 86_400";
const flexible = rateLimiterFlexible({ blocks: false });

/** In the order of the page's rows. */
export const ENTRIES: readonly Entry[] = [
  {
    ...entry("incr", "INCR", "`client.incr(key)`, client with `enableAutoPipelining`", ADMITTED, incr),
    ...PIPELINED,
    command: "incr",
  },
  entry("strict", "Tollgate, strict", called("allow(key)", ", batch: false"), DISTINCT, tollgate({ batch: false })),
  entry("batched", "Tollgate", called("allow(key)"), WORKLOADS, tollgate()),
  entry("three-limits", "Tollgate, three limits", called("allow(key)"), DISTINCT, threeLimits),
  entry("consume", "Tollgate, decisions", called("consume(key)"), DISTINCT, consuming),
  entry("flexible", FLEXIBLE, `\`new RateLimiterRedis({ ${FLEXIBLE_OPTIONS} })\``, ADMITTED, flexible),
  {
    ...entry(
      "flexible-pipelined",
      `${FLEXIBLE}, auto-pipelined`,
      "the same, client with `enableAutoPipelining`",
      ADMITTED,
      flexible,
    ),
    ...PIPELINED,
  },
  entry(
    "rate-limit-redis",
    "rate-limit-redis",
    "`store.increment(key)`, `new RedisStore({ sendCommand })` with `client.call`, `windowMs: 86_400_000`",
    ADMITTED,
    rateLimitRedis,
  ),
  entry(
    "flexible-blocking",
    FLEXIBLE,
    `\`new RateLimiterRedis({ ${FLEXIBLE_OPTIONS}, inMemoryBlockOnConsumed: points + 1 })\``,
    ["denied keys"],
    rateLimiterFlexible({ blocks: true }),
  ),
];

function entry(
  id: string,
  name: string,
  options: string,
  workloads: readonly Workload[],
  create: CreateContender,
): Entry {
  return { id, name, options, workloads, client: "plain", command: "evalsha", create };
}

function called(call: string, options = ""): string {
  return `\`${call}\`, \`redisStore({ client${options} })\``;
}

/** One limiter with one workload: a row of each table. */
export interface Variant {
  readonly id: string;
  readonly entry: Entry;
  readonly workload: Workload;
}

/** As in `batched`, `batched-hot`, `batched-denied`. */
export function idOf(entry: string, workload: Workload): string {
  return `${entry}${{ "distinct keys": "", "one hot key": "-hot", "denied keys": "-denied" }[workload]}`;
}

export const VARIANTS: readonly Variant[] = WORKLOADS.flatMap((workload) =>
  ENTRIES.filter(({ workloads }) => workloads.includes(workload)).map((entry): Variant => {
    return { id: idOf(entry.id, workload), entry, workload };
  }),
);
