import type { ClientRateLimitInfo, Options } from "express-rate-limit";
import type { Redis } from "ioredis";
import type { RedisReply } from "rate-limit-redis";
import type { IRateLimiterRedisOptions } from "rate-limiter-flexible";
import type { Decision } from "tollgate";
import { type AsyncCall, never } from "../process/contender.ts";

/** The keys that are asked about in turn. Distinct ones are more than calls in flight, denied ones fit into a cache. */
export const WORKLOADS = {
  distinct: { title: "20,000 keys in turn", keys: 20_000, units: 20_000_000 },
  hot: { title: "one hot key", keys: 1, units: 20_000_000 },
  denied: { title: "1,000 denied keys", keys: 1_000, units: 1 },
} as const;

export type Workload = keyof typeof WORKLOADS;

export interface Setup {
  readonly client: Redis;
  /** Units of each key. They come back more slowly than a measurement takes. */
  readonly limit: number;
}

type CreateContender = (setup: Setup) => AsyncCall | Promise<AsyncCall>;

export interface Row {
  readonly name: string;
  readonly workloads: readonly Workload[];
  /** By default the client is ioredis as it is. */
  readonly client?: { readonly enableAutoPipelining: true };
  /** Its command, as `INFO commandstats` names it. */
  readonly command?: "incr";
  readonly create: CreateContender;
}

/** The fixed window of the rivals: none ends during a measurement. */
const DAY_MS = 86_400_000;
const ADMITTED = ["distinct", "hot"] as const;
const PIPELINED = { enableAutoPipelining: true } as const;
const FLEXIBLE = "rate-limiter-flexible";

/** In the order of the page. */
export const ROWS = {
  incr: { name: "INCR, auto-pipelined", workloads: ADMITTED, client: PIPELINED, command: "incr", create: incr },
  tollgate: { name: "Tollgate", workloads: ["distinct", "hot", "denied"], create: allowing(["1m"]) },
  consume: { name: "Tollgate, `consume`", workloads: ["distinct"], create: consuming },
  three: { name: "Tollgate, three limits", workloads: ["distinct"], create: allowing(["15s", "30s", "1m"]) },
  flexible: { name: FLEXIBLE, workloads: ADMITTED, create: rateLimiterFlexible() },
  pipelined: {
    name: `${FLEXIBLE}, auto-pipelined`,
    workloads: ADMITTED,
    client: PIPELINED,
    create: rateLimiterFlexible(),
  },
  blocking: {
    name: `${FLEXIBLE} with \`inMemoryBlockOnConsumed\``,
    workloads: ["denied"],
    create: rateLimiterFlexible({ inMemoryBlockOnConsumed: WORKLOADS.denied.units + 1 }),
  },
  "rate-limit-redis": { name: "rate-limit-redis", workloads: ADMITTED, create: rateLimitRedis },
} as const satisfies Readonly<Record<string, Row>>;

export type RowId = keyof typeof ROWS;

/** A count without expiry: the least work that a limiter on a server could do. */
function incr({ client, limit }: Setup): AsyncCall {
  return { ask: (key) => client.incr(key), admits: (count) => (count as number) <= limit, isDenial: never };
}

type Period = "15s" | "30s" | "1m";

/** One limit for each period in which a unit comes back. */
function allowing(periods: readonly Period[]): CreateContender {
  return async (setup) => {
    const limiter = await limiterOf(setup, periods);
    return { ask: (key) => limiter.allow(key), admits: (answer) => answer === true, isDenial: never };
  };
}

async function consuming(setup: Setup): Promise<AsyncCall> {
  const limiter = await limiterOf(setup, ["1m"]);
  return { ask: (key) => limiter.consume(key), admits: (decision) => (decision as Decision).allowed, isDenial: never };
}

async function limiterOf({ client, limit }: Setup, periods: readonly Period[]) {
  const { createLimiter, tokenBucket } = await import("tollgate");
  const { redisStore } = await import("tollgate/redis");
  const limits = periods.map((per) => tokenBucket({ capacity: limit, refill: 1, per }));
  // A decision without the server is a denial, which the checks notice.
  const store = redisStore({ client, onFailure: "deny", timeout: "1s" });
  // The name is part of each key: as long as in an application.
  return createLimiter({ name: "api", limits, store });
}

function rateLimiterFlexible(more: Partial<IRateLimiterRedisOptions> = {}): CreateContender {
  return async ({ client, limit }) => {
    const { RateLimiterRedis } = await import("rate-limiter-flexible");
    const limiter = new RateLimiterRedis({ storeClient: client, points: limit, duration: DAY_MS / 1_000, ...more });
    return {
      ask: (key) => limiter.consume(key),
      admits: () => true,
      // A denial rejects with a result, a failure with an Error.
      isDenial: (reason) => !(reason instanceof Error),
    };
  };
}

/** The store alone, asked as the middleware of express-rate-limit asks it. */
async function rateLimitRedis({ client, limit }: Setup): Promise<AsyncCall> {
  const { RedisStore } = await import("rate-limit-redis");
  const store = new RedisStore({
    sendCommand: (command: string, ...args: string[]) => client.call(command, ...args) as Promise<RedisReply>,
  });
  // The store reads only this option of the middleware.
  await store.init({ windowMs: DAY_MS } as Options);
  return {
    ask: (key) => store.increment(key),
    admits: (info) => (info as ClientRateLimitInfo).totalHits <= limit,
    isDenial: never,
  };
}
