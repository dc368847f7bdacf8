import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { fastify } from "fastify";
import { Redis } from "ioredis";
import { createClient } from "redis";
import * as tollgate from "tollgate";
import * as config from "tollgate/config";
import * as express from "tollgate/express";
import { rateLimit as fastifyPlugin } from "tollgate/fastify";
import * as hono from "tollgate/hono";
import * as hybrid from "tollgate/hybrid";
import * as metrics from "tollgate/metrics";
import * as redis from "tollgate/redis";
import { tableStore } from "tollgate/table";
import { describe, expect, it } from "vitest";

/** The functions without their types: most of these mistakes do not compile. */
type Loose<Module> = { readonly [Name in keyof Module]: (...args: unknown[]) => unknown };
const { createLimiter, combine, perMinute, slidingWindow, fixedWindow, tokenBucket, concurrency, memoryStore } =
  tollgate as unknown as Loose<typeof tollgate>;
const { rateLimit, clientIp } = express as unknown as Loose<typeof express>;
const { redisStore } = redis as unknown as Loose<typeof redis>;
const { hybridStore } = hybrid as unknown as Loose<typeof hybrid>;
const { instrument } = metrics as unknown as Loose<typeof metrics>;

const limits = [tollgate.perMinute(100)];
const keyed = tollgate.createLimiter({ key: express.clientIp(), limits });
const plain = tollgate.createLimiter({ limits }) as unknown as Record<string, (...args: unknown[]) => unknown>;
const ioredis = new Redis({ lazyConnect: true });

const file = (words: object) => () => config.parseLimits(JSON.stringify({ version: 1, ...words }));
const rule = (words: object) => file({ domains: { api: { limits: { login: words } } } });

function detached(verb: string, from: object = plain): unknown {
  const { [verb]: call } = from as typeof plain;
  return call?.("ann");
}

const handle = tollgate.createLimiter({ limits }).handle("ann");
const remote = tollgate.createLimiter({ name: "api", limits, store: redis.redisStore({ client: ioredis }) });

/** Where npm has not installed prom-client. */
function withoutPromClient(): unknown {
  const main = process.argv[1] ?? "";
  process.argv[1] = "/nowhere/main.js";
  try {
    return instrument(tollgate.createLimiter({ name: "api", limits }));
  } finally {
    process.argv[1] = main;
  }
}

/** A mistake, and what its error says to write. */
type Mistake = readonly [mistake: string, attempt: () => unknown, says: readonly string[]];

const OF_OTHER_LIBRARIES: readonly Mistake[] = [
  [
    "rateLimit({ windowMs, max, keyGenerator }) of express-rate-limit",
    () => rateLimit({ windowMs: 900_000, max: 100, keyGenerator: () => "" }),
    [
      '"windowMs"; a limit has it: createLimiter({ key: clientIp(), limits: [slidingWindow({ limit: 100, window: "15m" })]',
      '"max"; a limit has it: createLimiter({ key: clientIp(), limits: [perMinute(100)] })',
      '"keyGenerator"; createLimiter has it: createLimiter({ key: clientIp(), limits })',
    ],
  ],
  [
    "its handler, message and statusCode",
    () => rateLimit({ limiter: keyed, handler: () => {}, message: "no", statusCode: 429 }),
    ['called "onDenied"', 'denial: "json"', 'called "status"'],
  ],
  [
    "its standardHeaders and legacyHeaders",
    () => rateLimit({ limiter: keyed, standardHeaders: "draft-8", legacyHeaders: false }),
    ['called "headers"', '"legacy"'],
  ],
  [
    "its skipSuccessfulRequests",
    () => rateLimit({ limiter: keyed, skipSuccessfulRequests: true }),
    ["chargeAfter: refundSuccesses()"],
  ],
  [
    "its skipFailedRequests",
    () => rateLimit({ limiter: keyed, skipFailedRequests: true }),
    ["chargeAfter: (_request, { status, completed }) =>"],
  ],
  ["its store", () => rateLimit({ limiter: keyed, store: ioredis }), ["store: redisStore({ client })"]],
  ["its passOnStoreError", () => rateLimit({ limiter: keyed, passOnStoreError: true }), ['onFailure: "allow"']],
  [
    "max and timeWindow of @fastify/rate-limit",
    () =>
      fastify()
        .register(fastifyPlugin, { max: 100, timeWindow: "1 minute" } as never)
        .ready(),
    ["slidingWindow({ limit: 100", "perMinute(100)"],
  ],
  [
    "its errorResponseBuilder, ban and skipOnError",
    () => fastify().register(fastifyPlugin, { errorResponseBuilder: 1, ban: 5, skipOnError: true } as never),
    ['called "onDenied"', "blockFor:", "onFailure:"],
  ],
  [
    "windowMs, limit and keyGenerator of hono-rate-limiter",
    () => hono.rateLimit({ windowMs: 60_000, limit: 100, keyGenerator: () => "" } as never),
    ["slidingWindow({ limit: 100", "perMinute(100)", "key: clientIp()"],
  ],
  ["whitelist of koa-ratelimit", () => rateLimit({ limiter: keyed, whitelist: () => true }), ['called "allowList"']],
  [
    "points and duration of rate-limiter-flexible",
    () => createLimiter({ points: 10, duration: 1, keyPrefix: "login" }),
    ["limits: [perMinute(100, { burst: 20 })]", 'called "name"'],
  ],
  [
    "points, duration and blockDuration of a limit",
    () => fixedWindow({ points: 5, duration: 60, blockDuration: 600 }),
    ['called "limit"', 'called "window" here: "60s"', 'called "blockFor" here: "10m"'],
  ],
  [
    "storeClient, keyPrefix and insuranceLimiter",
    () => redisStore({ storeClient: ioredis, keyPrefix: "login", insuranceLimiter: {} }),
    ['called "client"', 'called "prefix"', "onFailure: { fallback: memoryStore(), share: 0.5 }"],
  ],
  ["slidingWindow(10, …) of @upstash/ratelimit", () => slidingWindow(10, "10s"), ['{ limit: 100, window: "15m" }']],
  [
    "its tokenBucket({ refillRate, interval, maxTokens })",
    () => tokenBucket({ refillRate: 5, interval: "10s", maxTokens: 10 }),
    ['called "refill"', 'called "per"', 'called "capacity"'],
  ],
  ["its redis", () => redisStore({ redis: ioredis }), ['called "client"']],
  ["a window of 10 s with a space", () => slidingWindow({ limit: 5, window: "10 s" }), ['"10s"']],
  ["tokensPerInterval of limiter", () => tokenBucket({ tokensPerInterval: 5, interval: "1s" }), ['called "refill"']],
  ["pLimit(5)", () => concurrency(5), ['{ max: 5, ttl: "30s" }']],
  ["maxConcurrent of Bottleneck", () => concurrency({ maxConcurrent: 5 }), ['called "max"']],
];

const OF_LIMITERS: readonly Mistake[] = [
  ["rateLimit(limiter)", () => rateLimit(keyed), ["rateLimit({ limiter })"]],
  ["rateLimit()", () => rateLimit(), ["rateLimit({ limiter })"]],
  ["app.use(rateLimit)", () => rateLimit(new IncomingMessage(new Socket()), {}, () => {}), ["rateLimit({ limiter })"]],
  ["a limiter without a key", () => rateLimit({ limiter: plain }), ["key: clientIp()", "`input`"]],
  ["trustProxy: true", () => clientIp({ trustProxy: true }), ["a number of hops", '"loopback"']],
  ['perMinute("10")', () => perMinute("10"), ["write 10"]],
  ["perMinute(10, 20)", () => perMinute(10, 20), ["{ burst: 20 }"]],
  ["perMinute({ limit })", () => perMinute({ limit: 10 }), ["write the number alone"]],
  ["createLimiter(limit)", () => createLimiter(limits[0]), ["{ limits: [perMinute("]],
  ["createLimiter([limit])", () => createLimiter(limits), ["{ limits: [perMinute("]],
  ["store: new Redis()", () => createLimiter({ limits, store: ioredis }), ["redisStore({ client })"]],
  ["store: redisStore", () => createLimiter({ limits, store: redisStore }), ["redisStore({ client })"]],
  [
    "a fleet's limiter without a name",
    () => createLimiter({ limits, store: redisStore({ client: ioredis }) }),
    ["name:"],
  ],
  ["const { allow } = limiter", () => detached("allow"), ["limiter.allow(…)"]],
  ["const { consume } = limiter", () => detached("consume"), ["limiter.consume(…)"]],
  ["const { peek } = limiter", () => detached("peek"), ["limiter.peek(…)"]],
  ["const { byKey } = limiter", () => detached("byKey"), ["limiter.byKey(…)"]],
  ["const { clear } = limiter", () => detached("clear"), ["limiter.clear(…)"]],
  ["const { allowLocal } = limiter", () => detached("allowLocal", remote), ["limiter.allowLocal(…)"]],
  ["const { observe } = limiter", () => detached("observe"), ["limiter.observe(…)"]],
  ["const { allow } = handle", () => detached("allow", handle), ["handle.allow(…)"]],
  ["const { consume } = handle", () => detached("consume", handle), ["handle.consume(…)"]],
  ["const { wait } = handle", () => detached("wait", handle), ["handle.wait(…)"]],
  ["const { allow } = handle, of Redis", () => detached("allow", remote.handle("ann")), ["handle.allow(…)"]],
  ["const { settle } = reserve()", () => detached("settle", handle.reserve()), ["reservation.settle(…)"]],
  ["const { settle } = acquire()", async () => detached("settle", await handle.acquire()), ["reservation.settle(…)"]],
  ["combine([a, b])", () => combine([plain, keyed]), ["combine(a, b)"]],
  ["memoryStore(1000)", () => memoryStore(1_000), ["{ maxKeys: 100_000 }"]],
  ["tableStore(1000)", () => tableStore(1_000 as never), ["{ maxKeys: 100_000 }"]],
  ["memoryStore({ max })", () => memoryStore({ max: 1_000 }), ['called "maxKeys"']],
  ["clientIp(1)", () => clientIp(1), ["{ trustProxy: 1 }"]],
  ["block(key, date)", () => plain["block"]!("ann", new Date()), ["{ until: date }"]],
  ["wait(key, { maxWait })", () => plain["wait"]!("ann", { maxWait: "1s" }), ["wait(key, 1, options)"]],
  ["tokenBucket(10)", () => tokenBucket(10), ['{ capacity: 10, refill: 10, per: "1m" }']],
  ["slidingWindow({ max })", () => slidingWindow({ max: 5, window: "1m" }), ['called "limit"']],
  ["a negative cost", () => plain["consume"]!("ann", -1), ["a whole number from 0"]],
  ["a cost as text", () => plain["consume"]!("ann", "5"), ["a whole number, or one per unit"]],
  ["a cost in a unit that is not counted", () => plain["consume"]!("ann", { tokens: 5 }), ['among "requests"']],
  ["a missing key", () => plain["consume"]!(undefined), ["expected a string"]],
  ["a promise as key", () => createPromised()["consume"]!("ann"), ["pass an async function, or set async: true"]],
  ["consume with places", () => limiterOfPlaces()["consume"]!("ann"), ["use reserve"]],
];

function createPromised(): typeof plain {
  return createLimiter({ limits, key: () => Promise.resolve("ann") }) as typeof plain;
}

function limiterOfPlaces(): typeof plain {
  return createLimiter({ limits: [tollgate.concurrency({ max: 5, ttl: "30s" })] }) as typeof plain;
}

const OF_STORES_AND_METRICS: readonly Mistake[] = [
  ["redisStore(client)", () => redisStore(ioredis), ["redisStore({ client })"]],
  ["hybridStore(client)", () => hybridStore(ioredis), ["hybridStore({ client })"]],
  [
    "hybridStore({ redis })",
    () => hybridStore({ redis: ioredis }),
    ['hybridStore: unknown option "redis"; it is called'],
  ],
  ["treshold", () => hybridStore({ client: ioredis, treshold: 0.5 }), ['did you mean "threshold"?']],
  ["redisStore(url)", () => redisStore("redis://127.0.0.1"), ["redisStore({ client: new Redis(address) })"]],
  ["redisStore({ url })", () => redisStore({ url: "redis://127.0.0.1" }), ["{ client: new Redis(address) }"]],
  ["a URL as client", () => redisStore({ client: "redis://127.0.0.1" }), ["new Redis(address)"]],
  ["options as client", () => redisStore({ client: { host: "127.0.0.1" } }), ["client: new Redis(address)"]],
  ["a client that is not connected", () => redisStore({ client: createClient() }), ["await client.connect()"]],
  ['onFailure: "open"', () => redisStore({ client: ioredis, onFailure: "open" }), ['"allow", "deny"']],
  ["prom-client is missing", withoutPromClient, ["npm i prom-client", "{ registry }"]],
  ["metrics of a limiter without a name", () => instrument(plain), ['createLimiter({ name: "…" })']],
];

const OF_LIMITS_FILES: readonly Mistake[] = [
  ["rate: 60/minute", rule({ by: "ip", rate: "60/minute" }), ["such as 60/1m"]],
  ["rate: 60", rule({ by: "ip", rate: 60 }), ["such as 60/1m"]],
  ["rates", rule({ by: "ip", rates: "60/1m" }), ['did you mean "rate"?']],
  ["key: ip", rule({ key: "ip", rate: "60/1m" }), ["write by: ip"]],
  ["by: user", rule({ by: "user", rate: "60/1m" }), ["header.NAME"]],
  ["limit and window", rule({ by: "ip", limit: 5, window: "15m" }), ["write rate: 60/1m, within: 5/15m"]],
  ["createLimits(text)", () => config.createLimits("version: 1" as never), ["parseLimits(text)"]],
  ["parseLimits(object)", () => config.parseLimits({ version: 1 } as never), ["createLimits takes an object"]],
  ["rules outside of a domain", file({ rules: {} }), ["write domains: { api: { limits } }"]],
];

/** The message of what is thrown, or of what a promise rejects with. */
async function messageOf(attempt: () => unknown): Promise<string> {
  try {
    await attempt();
    return "no error";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("a typical mistake is answered with what to write:", () => {
  it.each([...OF_OTHER_LIBRARIES, ...OF_LIMITERS, ...OF_STORES_AND_METRICS, ...OF_LIMITS_FILES])(
    "%s",
    async (_mistake, attempt, says) => {
      const message = await messageOf(attempt);
      for (const part of says) expect(message).toContain(part);
    },
  );
});
