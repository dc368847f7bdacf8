import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { createLimiter, type Decision, perDay } from "tollgate";
import type { RedisStoreObservation } from "tollgate/redis";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore, type StoreOptions } from "../kit/use-redis.ts";
import type { RedisServer } from "../servers/redis-server.ts";
import { startRedisHere } from "../servers/test-servers.ts";

const TIMEOUT_MS = 100;

async function startLimiter(options: StoreOptions = {}) {
  const server = await startRedisHere();
  const client = new Redis(server.port);
  onTestFinished(() => client.disconnect());
  const observed: RedisStoreObservation[] = [];
  const store = openStore(client, { timeout: TIMEOUT_MS, observe: (told) => observed.push(told), ...options });
  const limiter = createLimiter({ name: "api", limits: [perDay(100_000)], store });
  await limiter.allow("warm");
  return { server, store, limiter, observed };
}

async function whilePaused<T>(server: RedisServer, ms: number, work: () => T): Promise<Awaited<T>> {
  server.pause();
  const resumed = sleep(ms).then(() => server.resume());
  const result = await work();
  await resumed;
  return result;
}

describe("the circuit breaker", () => {
  it("the circuit stays closed through a pause of 150 ms with any number of pending batches", async () => {
    const { server, store, limiter, observed } = await startLimiter({ batch: 1 });
    const decisions = await whilePaused(server, 150, async () => {
      const turns: Promise<Decision>[] = [];
      for (let turn = 0; turn < 15; turn += 1) {
        for (let i = 0; i < 35; i += 1) turns.push(limiter.consume(`key-${turn}-${i}`));
        await sleep(10);
      }
      return Promise.all(turns);
    });
    // Exactly the calls that waited longer than the timeout.
    const causes = new Set(decisions.flatMap(({ degraded }) => degraded ?? []));
    expect([...causes].filter((cause) => cause !== "timed out")).toEqual([]);
    expect(observed).toEqual([]);
    expect(store.breaker).toBe("closed");
    expect((await limiter.consume("ann")).degraded).toBeUndefined();
  });

  it("the circuit opens after the server has failed for 400 ms", async () => {
    const { server, store, limiter, observed } = await startLimiter();
    server.pause();
    const startedMs = performance.now();
    while (store.breaker === "closed") await limiter.consume("ann");
    expect(performance.now() - startedMs).toBeGreaterThan(400);
    expect((await limiter.consume("ann")).degraded).toBe("circuit open");
    server.resume();
    expect(observed[0]?.type).toBe("down");
  });

  it("a blocked event loop does not open the circuit", async () => {
    const { store, limiter, observed } = await startLimiter();
    for (let i = 0; i < 5; i += 1) {
      const decided = limiter.consume(`key-${i}`);
      await new Promise(setImmediate);
      const untilMs = performance.now() + 3 * TIMEOUT_MS;
      while (performance.now() < untilMs);
      expect((await decided).degraded).toBeUndefined();
    }
    expect(observed).toEqual([]);
    expect(store.breaker).toBe("closed");
  });
});
