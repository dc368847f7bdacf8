import type { JobId } from "../workloads/job.ts";
import type { NodeEntry } from "./entry.ts";

const EVERYWHERE: readonly JobId[] = ["hot", "thousand", "million", "weight", "denied-hot", "denied-thousand"];
const RIVAL = { runs: "in Node", family: "rival" } as const;

/** Default options, but for the size of the limit, which none of them chooses: units per hour. */
export const RIVAL_ENTRIES: readonly NodeEntry[] = [
  {
    ...RIVAL,
    id: "rate-limiter-flexible",
    name: "rate-limiter-flexible",
    options: "`RateLimiterMemory({ points, duration: 3600 })`, `await consume(key)`",
    jobs: EVERYWHERE,
    load: async () => (await import("../rivals/rate-limiter-flexible.ts")).create,
  },
  {
    ...RIVAL,
    id: "express-rate-limit",
    name: "express-rate-limit",
    options: "`MemoryStore`, `windowMs: 3_600_000`, `await increment(key)`",
    jobs: EVERYWHERE,
    load: async () => (await import("../rivals/express-rate-limit.ts")).create,
  },
  {
    ...RIVAL,
    id: "hono-rate-limiter",
    name: "hono-rate-limiter",
    options: "`MemoryStore`, `windowMs: 3_600_000`, `increment(key)`",
    jobs: EVERYWHERE,
    load: async () => (await import("../rivals/hono-rate-limiter.ts")).create,
  },
  {
    ...RIVAL,
    id: "fastify-rate-limit",
    name: "@fastify/rate-limit",
    options: "`LocalStore`, `cache` by default: 5,000 keys, `incr(key, …)`",
    keeps: 5_000,
    jobs: EVERYWHERE,
    load: async () => (await import("../rivals/fastify-rate-limit.ts")).create,
  },
  {
    ...RIVAL,
    id: "fastify-rate-limit-large",
    name: "@fastify/rate-limit, large cache",
    options: "`LocalStore`, `cache: 1_000_000`, `incr(key, …)`",
    keeps: 1_000_000,
    jobs: ["million", "weight"],
    load: async () => (await import("../rivals/fastify-rate-limit.ts")).createLarge,
  },
  {
    ...RIVAL,
    id: "limiter",
    name: "limiter",
    options: "a `TokenBucket` per key in a `Map`, `interval: 3_600_000`, `tryRemoveTokens(1)`",
    jobs: EVERYWHERE,
    load: async () => (await import("../rivals/limiter.ts")).create,
  },
];
