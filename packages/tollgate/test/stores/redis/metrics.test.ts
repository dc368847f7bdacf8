import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Redis } from "ioredis";
import { Registry } from "prom-client";
import { createLimiter, perDay } from "tollgate";
import { publish } from "tollgate/diagnostics";
import { instrument } from "tollgate/metrics";
import { instrument as instrumentWithOtel } from "tollgate/otel";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMeter, createTracer, useContexts } from "../../metrics/otel/collected.ts";
import { histogramOf, linesOf } from "../../metrics/scrape.ts";
import { freshPrefix, openStore, useRedis } from "./kit/use-redis.ts";
import { eventuallyTrue } from "./servers/eventually.ts";
import { startRedisHere } from "./servers/test-servers.ts";

const inUse = useRedis();

describe("the metrics of a Redis store", () => {
  it("have each call of the script, how long it took, and the breaker", async () => {
    const { redis } = inUse;
    const store = redis.store();
    const registry = new Registry();
    const limiter = createLimiter({ name: "api", limits: [perDay(9, { name: "calls" })], store });
    await limiter.allow("warm");
    const remove = instrument(limiter, { registry });
    const calls = await redis.callsOf(async () => {
      await Promise.all(["a", "b", "a"].map((key) => limiter.allow(key)));
      await limiter.consume("a");
    });
    const sent = (result: string, count: number) =>
      `rate_limit_redis_calls_total{store="redis",result="${result}"} ${count}`;
    expect(await linesOf(registry, "rate_limit_redis_calls_total")).toEqual([sent("ok", calls), sent("error", 0)]);
    expect((await histogramOf(registry, "rate_limit_redis_duration_seconds")).count).toBe(calls);
    const durations = await histogramOf(registry, "rate_limit_acquire_duration_seconds");
    expect(durations.count).toBe(4);
    expect(durations.sum).toBeGreaterThan(0);
    expect(await linesOf(registry, "rate_limit_breaker_state")).toEqual(['rate_limit_breaker_state{store="redis"} 0']);
    expect(await linesOf(registry, "rate_limit_keys")).toEqual([]);
    remove();
    await limiter.allow("a");
    expect(await linesOf(registry, "rate_limit")).toEqual([]);
  });

  it("have failed calls, and tell watchers what a batch carried", async () => {
    const { redis } = inUse;
    const prefix = freshPrefix();
    const store = redis.store({ prefix });
    const registry = new Registry();
    instrument(store, { registry, storeName: "main" });
    const batches: unknown[] = [];
    const stop = store.watchBatches?.((batch) => batches.push(batch));
    const limiter = createLimiter({ name: "api", limits: [perDay(9)], store });
    const beforeMs = Date.now();
    await Promise.all(["a", "a"].map((key) => limiter.allow(key)));
    const [row = ""] = await redis.client.keys(`${prefix}:api:*`);
    const [first] = batches.splice(0);
    expect(first).toMatchObject({ calls: 2, keys: 1, failure: undefined });
    await Promise.all(["a", "b", "a"].map((key) => limiter.allow(key)));
    const { sentAtMs, durationMs, ...batch } = batches[0] as { sentAtMs: number; durationMs: number };
    expect(batch).toEqual({ calls: 3, keys: 2, failure: undefined });
    expect(sentAtMs).toBeGreaterThan(beforeMs - 1_000);
    expect(sentAtMs + durationMs).toBeLessThan(Date.now() + 1_000);
    const before = batches.length;
    await redis.command("SET", row, "no row");
    await expect(limiter.allow("a")).rejects.toThrow("redisStore");
    expect(batches.slice(before)).toMatchObject([{ calls: 1, keys: 1, failure: "the server refused the call" }]);
    stop?.();
    await limiter.allow("b");
    expect(batches.length).toBe(before + 1);
    expect((await linesOf(registry, "rate_limit_redis_calls_total"))[1]).toMatch(/store="main",result="error"\} 1$/);
  });
});

describe("the channels of a Redis store", () => {
  it("have an outage, which the breaker's metric shows", async () => {
    const server = await startRedisHere();
    const client = new Redis(server.port);
    onTestFinished(() => client.disconnect());
    const store = openStore(client, { timeout: 100 });
    const registry = new Registry();
    instrument(store, { registry });
    onTestFinished(publish(store));
    const types: string[] = [];
    for (const type of ["down", "up", "probe"]) {
      const listener = (message: unknown): void => void types.push((message as { readonly type: string }).type);
      subscribe(`tollgate:${type}`, listener);
      onTestFinished(() => void unsubscribe(`tollgate:${type}`, listener));
    }
    const breaker = async () => (await linesOf(registry, "rate_limit_breaker_state"))[0];
    const limiter = createLimiter({ name: "api", limits: [perDay(9)], store });
    await limiter.allow("a");
    server.pause();
    while (store.breaker === "closed") await limiter.allow("a");
    expect(await breaker()).toBe('rate_limit_breaker_state{store="redis"} 2');
    await eventuallyTrue("a probe", () => store.breaker === "half-open");
    expect(await breaker()).toBe('rate_limit_breaker_state{store="redis"} 1');
    server.resume();
    await eventuallyTrue("a closed circuit", () => store.breaker === "closed");
    expect(await breaker()).toBe('rate_limit_breaker_state{store="redis"} 0');
    expect([types[0], types.at(-1)]).toEqual(["down", "up"]);
    const [, failed] = await linesOf(registry, "rate_limit_redis_calls_total");
    expect(Number(failed?.split(" ")[1])).toBeGreaterThanOrEqual(3);
  });
});

describe("a batch in OpenTelemetry", () => {
  it("is a span below the one that was active when it was sent, and a duration", async () => {
    useContexts();
    const { redis } = inUse;
    const prefix = freshPrefix();
    const store = redis.store({ prefix });
    const limiter = createLimiter({ name: "api", limits: [perDay(9)], store });
    await limiter.allow("a");
    const [row = ""] = await redis.client.keys(`${prefix}:api:*`);
    const { meter, values } = createMeter();
    const { tracer, spans } = createTracer();
    instrumentWithOtel(limiter, { meter, tracer });
    await tracer.startActiveSpan("request", async (request) => {
      await Promise.all(["a", "b", "a"].map((key) => limiter.allow(key)));
      request.end();
    });
    const [batch, request] = spans();
    expect(batch).toMatchObject({
      name: "rate_limit.redis",
      attributes: {
        "db.system.name": "redis",
        "db.operation.batch.size": 3,
        "rate_limit.keys": 2,
        "rate_limit.store": "redis",
      },
      parentSpanContext: { spanId: request?.spanContext().spanId },
    });
    const [seconds = 0, nanoseconds = 0] = batch?.duration ?? [];
    expect(seconds * 1e9 + nanoseconds).toBeGreaterThan(0);
    expect(Math.abs((batch?.startTime[0] ?? 0) - Date.now() / 1000)).toBeLessThan(60);
    expect(await values("rate_limit.redis.call.count")).toEqual([
      "rate_limit.store=redis rate_limit.result=ok: 1",
      "rate_limit.store=redis rate_limit.result=error: 0",
    ]);
    expect((await values("rate_limit.redis.duration"))[0]).toMatch(/^rate_limit.store=redis: 1 in /);
    expect((await values("rate_limit.acquire.duration"))[0]).toMatch(/^rate_limit.limiter=api: 3 in /);
    await redis.command("SET", row, "no row");
    await expect(limiter.allow("a")).rejects.toThrow("redisStore");
    expect(spans().at(-1)).toMatchObject({
      status: { code: 2 },
      attributes: { "error.type": "the server refused the call" },
    });
  });
});
