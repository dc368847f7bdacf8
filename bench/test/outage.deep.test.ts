import { readFileSync } from "node:fs";
import fastifyRateLimit, { type RateLimitPluginOptions } from "@fastify/rate-limit";
import express, { type RequestHandler } from "express";
import { rateLimit as expressRateLimit, type Options } from "express-rate-limit";
import fastify from "fastify";
import { Redis, type RedisOptions } from "ioredis";
import { RedisStore } from "rate-limit-redis";
import { RateLimiterMemory, RateLimiterRedis } from "rate-limiter-flexible";
import { createLimiter, type OnFailure, perMinute } from "tollgate";
import { clientIp, rateLimit } from "tollgate/express";
import { redisStore } from "tollgate/redis";
import { afterEach, describe, expect, it, vi } from "vitest";
import { urlOf } from "../../packages/tollgate/test/adapters/suite/node-server.ts";
import { startRedis } from "../../packages/tollgate/test/stores/redis/servers/start-redis.ts";

type ClientOptions = Pick<RedisOptions, "commandTimeout" | "connectTimeout"> & { maxRetriesPerRequest?: number };

const LIMIT = 100;
const HOST = "127.0.0.1";
/** What the README of @fastify/rate-limit recommends. */
const FEW_RETRIES: ClientOptions = { connectTimeout: 500, maxRetriesPerRequest: 1 };
const COMMAND_TIMEOUT: ClientOptions = { commandTimeout: 100 };

const open: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

function connect(port: number, options: ClientOptions = {}): Redis {
  const client = new Redis(port, HOST, options);
  client.on("error", () => {});
  open.push(() => client.disconnect());
  return client;
}

/** The address of an application behind a middleware. */
async function serve(middleware: RequestHandler): Promise<string> {
  const app = express()
    .use(middleware)
    .get("/", (_request, response) => void response.send("hello"));
  return urlOf(app);
}

const tollgate = (onFailure: OnFailure) => (port: number) => {
  const store = redisStore({ client: connect(port), onFailure, warnings: false });
  return serve(
    rateLimit({ limiter: createLimiter({ name: "api", key: clientIp(), limits: [perMinute(LIMIT)], store }) }),
  );
};

const ofExpress = (options: Partial<Options>, client?: ClientOptions) => (port: number) => {
  const redis = connect(port, client);
  const sendCommand = (command: string, ...args: string[]) => redis.call(command, ...args) as Promise<number>;
  return serve(expressRateLimit({ limit: LIMIT, store: new RedisStore({ sendCommand }), ...options }));
};

const flexible = (hasInsurance: boolean, client?: ClientOptions) => (port: number) => {
  const numbers = { points: LIMIT, duration: 60 };
  const insurance = hasInsurance && { insuranceLimiter: new RateLimiterMemory(numbers) };
  const limiter = new RateLimiterRedis({ storeClient: connect(port, client), ...numbers, ...insurance });
  return serve(async (request, _response, next) => {
    await limiter.consume(String(request.ip));
    next();
  });
};

const ofFastify = (options: RateLimitPluginOptions, client: ClientOptions) => async (port: number) => {
  const app = fastify({ forceCloseConnections: true });
  await app.register(fastifyRateLimit, { max: LIMIT, redis: connect(port, client), ...options });
  app.get("/", () => "hello");
  open.push(() => void app.close());
  return app.listen({ port: 0, host: HOST });
};

/** The rows of the README's table: one or several applications each. */
const ROWS: Readonly<Record<string, readonly ((port: number) => Promise<string>)[]>> = {
  'Tollgate with `onFailure: "allow"`, the default': [tollgate("allow")],
  'Tollgate with `onFailure: "deny"`': [tollgate("deny")],
  "express-rate-limit with rate-limit-redis, `passOnStoreError` or not": [
    ofExpress({}),
    ofExpress({ passOnStoreError: true }),
  ],
  "rate-limiter-flexible, with an `insuranceLimiter` or not": [flexible(false), flexible(true)],
  "@fastify/rate-limit": [ofFastify({}, FEW_RETRIES)],
  "the same with `skipOnError`": [ofFastify({ skipOnError: true }, FEW_RETRIES)],
  "each rival, told to fail open, with ioredis' `commandTimeout: 100`": [
    ofExpress({ passOnStoreError: true }, COMMAND_TIMEOUT),
    flexible(true, COMMAND_TIMEOUT),
    ofFastify({ skipOnError: true }, COMMAND_TIMEOUT),
  ],
};

const PATIENCE_MS = 5_000;
const SOON_MS = 1_000;

async function outcomeOf(url: string): Promise<string> {
  const startedMs = performance.now();
  try {
    const { status } = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
    return `${status} ${performance.now() - startedMs < SOON_MS ? "within 1 s" : "within 5 s"}`;
  } catch {
    return "no answer in 5 s";
  }
}

/** The cells of the README's table in one column, by its first cells. */
function column(index: number): Record<string, string> {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const [, table = ""] = /^\| the same application, .*\n\|[-|]+\n((?:\|.*\n)+)/mu.exec(readme) ?? [];
  const rows = table.split("\n").map((row) => row.split("|").map((cell) => cell.trim()));
  return Object.fromEntries(rows.filter((row) => row.length > 1).map((row) => [row[1], row[index]]));
}

describe("the README's table of an outage", () => {
  it.each(["is killed", "hangs"])("says what a request gets when Redis %s", async (outage) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const redis = await startRedis();
    open.push(() => redis.stop());
    const started = Object.entries(ROWS).map(async ([name, applications]) => {
      const urls = await Promise.all(applications.map((start) => start(redis.port)));
      for (const url of urls) expect([name, await outcomeOf(url)]).toEqual([name, "200 within 1 s"]);
      return { name, urls };
    });
    const rows = await Promise.all(started);

    if (outage === "hangs") redis.pause();
    else await redis.kill();
    const measured = rows.map(async ({ name, urls }) => {
      const outcomes = new Set(await Promise.all(urls.map(outcomeOf)));
      return [name, [...outcomes].join(" or ")] as const;
    });
    expect(Object.fromEntries(await Promise.all(measured))).toEqual(column(outage === "hangs" ? 3 : 2));
  });
});
