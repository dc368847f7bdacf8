import { combine, createLimiter, fixedWindow, type Limit, type Limiter, slidingWindow, tokenBucket } from "tollgate";
import { createLimits } from "tollgate/config";
import { hotKeys, instrument } from "tollgate/metrics";
import type { Figures } from "../harness/figures.ts";
import { KeyPool } from "../harness/keys.ts";
import { callContender, type Setup } from "./contender.ts";
import { limitsFileOf } from "./limits-file.ts";
import { nsPerCall } from "./measure.ts";
import { type Plan, TABLES, UNITS } from "./tables.ts";

/** What a row calls. A row may lack `allow`. */
export interface Calls {
  readonly allow?: (key: string) => boolean;
  readonly consume: (key: string) => boolean;
}

const capacity = UNITS.ample;
const BUCKET = tokenBucket({ capacity, refill: 1, per: "10m" });
const OTHER_BUCKET = tokenBucket({ capacity, refill: 1, per: "5m" });
/** The most that a limit may give back: nine units a microsecond, so that a key is full again at its next call. */
const FULL_AGAIN = tokenBucket({ capacity, refill: 9_000_000, per: "1s" });
const TOKENS = tokenBucket({ name: "tokens", capacity: 5 * capacity, refill: 1, per: "10m", unit: "tokens" });
const WINDOW = fixedWindow({ limit: capacity, window: "10s" });
const SLIDING = slidingWindow({ limit: capacity, window: "10s", resolution: "1s" });
const REGISTRY = { registerMetric(): void {}, getSingleMetric: () => undefined };

/** What a limiter may have, by the ids of the rows. */
export const SHAPES = {
  one: { name: "one token bucket", make: () => callsOf(plain(BUCKET)) },
  idle: { name: "one token bucket, keys idle again at each call", make: () => callsOf(plain(FULL_AGAIN)) },
  window: { name: "a fixed window", make: () => callsOf(plain(WINDOW)) },
  sliding: { name: "a sliding window of 10 groups", make: () => callsOf(plain(SLIDING)) },
  two: { name: "two token buckets", make: () => callsOf(plain(BUCKET, OTHER_BUCKET)) },
  units: {
    name: "two units: requests and tokens",
    make: () => callsOf(plain(BUCKET, TOKENS), { requests: 1, tokens: 5 }),
  },
  function: { name: "limits by a function", make: () => callsOf(chosen()) },
  combined: { name: "`combine` of two limiters", make: () => callsOf(combine(plain(BUCKET), plain(OTHER_BUCKET))) },
  observer: { name: "an observer that does nothing", make: () => callsOf(observed()) },
  metrics: { name: "`instrument`", make: () => callsOf(measured(false)) },
  "hot-keys": { name: "`instrument` and `hotKeys`", make: () => callsOf(measured(true)) },
  reserve: { name: "`reserve` and `settle`", make: reserving },
  "file-10": { name: "a limits file of 10 rules", make: () => byFile(10) },
  "file-10000": { name: "a limits file of 10,000 rules", make: () => byFile(10_000) },
} as const satisfies Readonly<Record<string, { readonly name: string; readonly make: () => Calls }>>;

export type ShapeId = keyof typeof SHAPES;

export const VERBS = ["allow", "consume"] as const;

export interface ShapeOrder {
  readonly row: ShapeId;
  readonly verb: keyof Calls;
  readonly plan: Plan;
}

/** Each verb has a process of its own, so that the loop around it has seen no other call. */
export async function measureShape({ row, verb, plan }: ShapeOrder): Promise<Figures> {
  const calls: Calls = SHAPES[row].make();
  const call = calls[verb];
  if (call === undefined) return {};
  const { keys, units } = TABLES.shapes;
  const setup: Setup = { pool: new KeyPool(keys), units: UNITS[units] };
  return { [verb]: await nsPerCall(callContender(setup, call), setup, plan) };
}

function plain(...limits: Limit[]): Limiter {
  return createLimiter({ name: limits.map(({ name }) => name).join(" "), limits });
}

/** Chosen by the key, as a plan is by its user: both lists are asked about. */
function chosen(): Limiter {
  const [even, odd] = [[BUCKET], [OTHER_BUCKET]];
  return createLimiter({ limits: (key: string) => (key.length % 2 === 0 ? even : odd) });
}

function observed(): Limiter {
  return createLimiter({ limits: [BUCKET], observe: () => {} });
}

function measured(withHotKeys: boolean): Limiter {
  const limiter = createLimiter({ name: "api", limits: [BUCKET] });
  instrument(limiter, { registry: REGISTRY });
  if (withHotKeys) hotKeys(limiter);
  return limiter;
}

function callsOf(limiter: Limiter, cost?: Readonly<Record<string, number>>): Calls {
  return {
    allow: (key) => limiter.allow(key, cost),
    consume: (key) => limiter.consume(key, cost).allowed,
  };
}

function reserving(): Calls {
  const limiter = plain(BUCKET);
  const consume = (key: string) => {
    const reservation = limiter.reserve(key, 2);
    reservation.settle(1);
    return reservation.decision.allowed;
  };
  return { consume };
}

/** Calls of ten rules, as many for each number of rules: more would also measure more memory of the limiters. */
function byFile(rules: number): Calls {
  const limits = createLimits(limitsFileOf(rules));
  const paths = Array.from({ length: 10 }, (_, i) => `/v1/x${Math.floor((i * rules) / 10)}/a/b`);
  let calls = 0;
  const consume = (ip: string) => {
    calls = (calls + 1) % paths.length;
    return limits.consume("api", { ip, path: paths[calls]! }).allowed;
  };
  return { consume };
}
