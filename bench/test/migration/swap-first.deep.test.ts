import { Redis } from "ioredis";
import { tollgateStore as expressStore } from "tollgate/express-rate-limit";
import { tollgateStore as fastifyStore, type TollgateStore } from "tollgate/fastify-rate-limit";
import { RateLimiterRedis, RateLimiterRes } from "tollgate/rate-limiter-flexible";
import { redisStore } from "tollgate/redis";
import { describe, expect, it, onTestFinished } from "vitest";
import { startRedis } from "../../../packages/tollgate/test/stores/redis/servers/start-redis.ts";

/** A server, and a client for each of two processes. */
async function start() {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const connect = () => {
    const client = new Redis(server.port, "127.0.0.1", { retryStrategy: () => 50 }).on("error", () => {});
    onTestFinished(() => client.disconnect());
    return client;
  };
  return { server, clients: [connect(), connect()] as const };
}

const RANGE = Array.from({ length: 50 }, (_, i) => i + 1);
const byNumber = (one: number, other: number) => one - other;

describe("over Redis", () => {
  it("stores of express-rate-limit and hono-rate-limiter count for all processes, and fail with the server", async () => {
    const { server, clients } = await start();
    const stores = clients.map((client) => expressStore({ store: redisStore({ client }), name: "api" }));
    for (const store of stores) store.init({ windowMs: 600_000 });
    const hits = await Promise.all(RANGE.map((i) => stores[i % 2]!.increment("ann")));
    expect(hits.map(({ totalHits }) => totalHits).sort(byNumber)).toEqual(RANGE);
    await stores[0]!.decrement("ann");
    expect((await stores[1]!.get("ann"))?.totalHits).toBe(49);
    await stores[1]!.resetKey("ann");
    expect(await stores[0]!.get("ann")).toBe(undefined);
    await stores[0]!.increment("bob");
    await stores[1]!.resetAll();
    expect(await stores[0]!.get("bob")).toBe(undefined);
    await server.stop();
    await expect(stores[0]!.increment("ann")).rejects.toThrow("expected one that counts");
  });

  it("stores of @fastify/rate-limit count each route for all processes, and keep clients out for longer", async () => {
    const { clients } = await start();
    const stores = clients.map((client) => {
      const Store = fastifyStore({ store: redisStore({ client }), name: "api" });
      return new Store({}).child({ exponentialBackoff: true, routeInfo: { method: "GET", url: "/" } });
    });
    const incr = (store: TollgateStore) =>
      new Promise<unknown>((resolve) => store.incr("ann", (error, result) => resolve(error ?? result), 600_000, 2));
    const seen: unknown[] = [];
    for (const i of [0, 1, 0, 1]) seen.push(await incr(stores[i]!));
    expect(seen).toMatchObject([
      { current: 1 },
      { current: 2 },
      { current: 3, ttl: 600_000 },
      { current: 4, ttl: 1_200_000 },
    ]);
    expect(await incr(stores[0]!.child({ routeInfo: { method: "GET", url: "/other" } }))).toMatchObject({ current: 1 });
  });

  it("RateLimiterRedis counts, sets, blocks and forgets for all processes, and fails with the server", async () => {
    const { server, clients } = await start();
    const options = { points: 100, duration: 600 };
    const [one, other] = clients.map((storeClient) => new RateLimiterRedis({ ...options, storeClient }));
    if (one === undefined || other === undefined) throw new Error("expected two limiters");
    const results = await Promise.all(RANGE.map((i) => (i % 2 === 0 ? one : other).consume("ann")));
    expect(results.map(({ consumedPoints }) => consumedPoints).sort(byNumber)).toEqual(RANGE);
    expect(results.filter(({ isFirstInDuration }) => isFirstInDuration)).toHaveLength(1);
    await one.reward("ann", 60);
    expect(await other.get("ann")).toMatchObject({ consumedPoints: -10, remainingPoints: 110 });
    await one.set("ann", 90, 60);
    await Promise.all(RANGE.slice(0, 5).flatMap(() => [one.consume("ann"), other.consume("ann")]));
    expect(await other.consume("ann").catch((denied: unknown) => denied)).toMatchObject({ consumedPoints: 101 });
    await other.block("ann", 0);
    expect(await one.consume("ann").catch((denied: unknown) => denied)).toBeInstanceOf(RateLimiterRes);
    expect((await one.get("ann"))?.msBeforeNext).toBe(-1);
    expect([await one.delete("ann"), await other.get("ann")]).toEqual([true, null]);
    await server.stop();
    await expect(one.consume("ann")).rejects.toThrow("the server did not answer");
  });
});
