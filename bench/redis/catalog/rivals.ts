import type { Variant } from "../variant.ts";

const FLEXIBLE = {
  who: "rate-limiter-flexible",
  options: "`new RateLimiterRedis({ storeClient, points, duration: 86_400 })`",
  client: "plain",
  command: "evalsha",
  load: async () => (await import("../contenders/rate-limiter-flexible.ts")).create,
} as const;

const FLEXIBLE_PIPELINED = {
  ...FLEXIBLE,
  who: "rate-limiter-flexible, auto-pipelined",
  options: "the same, client with `enableAutoPipelining`",
  client: "auto-pipelined",
} as const;

const RATE_LIMIT_REDIS = {
  who: "rate-limit-redis",
  options: "`store.increment(key)`, `new RedisStore({ sendCommand })` with `client.call`, `windowMs: 86_400_000`",
  client: "plain",
  command: "evalsha",
  load: async () => (await import("../contenders/rate-limit-redis.ts")).create,
} as const;

export const RIVAL_VARIANTS: readonly Variant[] = [
  { ...FLEXIBLE, id: "flexible", workload: "distinct keys" },
  { ...FLEXIBLE_PIPELINED, id: "flexible-pipelined", workload: "distinct keys" },
  { ...RATE_LIMIT_REDIS, id: "rate-limit-redis", workload: "distinct keys" },
  { ...FLEXIBLE, id: "flexible-hot", workload: "one hot key" },
  { ...FLEXIBLE_PIPELINED, id: "flexible-pipelined-hot", workload: "one hot key" },
  { ...RATE_LIMIT_REDIS, id: "rate-limit-redis-hot", workload: "one hot key" },
  {
    ...FLEXIBLE,
    id: "flexible-denied",
    options: "`new RateLimiterRedis({ storeClient, points, duration: 86_400, inMemoryBlockOnConsumed: points + 1 })`",
    workload: "denied keys",
    load: async () => (await import("../contenders/rate-limiter-flexible.ts")).blocking,
  },
];
