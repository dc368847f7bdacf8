import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { createLimiter, perDay } from "tollgate";
import type { StoreClient } from "tollgate/redis";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore, type StoreOptions } from "../kit/use-redis.ts";
import { startProxyHere, startRedisHere } from "../servers/test-servers.ts";

const TIMEOUT_MS = 50;
const CONNECTING_MS = 400;

function limiterOn(client: StoreClient, options: StoreOptions = {}) {
  const store = openStore(client, { timeout: TIMEOUT_MS, onFailure: "allow", ...options });
  return createLimiter({ name: "api", limits: [perDay(10)], store });
}

function ioredisOn(port: number): Redis {
  const client = new Redis(port, { retryStrategy: () => 50 });
  client.on("error", () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

describe("calls before the first connection", () => {
  it("calls before the first connection wait for it, and the server decides them", async () => {
    const proxy = await startProxyHere(await startRedisHere());
    proxy.blackHole();
    const limiter = limiterOn(ioredisOn(proxy.port));
    const turn = Promise.all(Array.from({ length: 2_000 }, () => limiter.consume("ann")));
    await sleep(CONNECTING_MS);
    await proxy.pass();
    const decisions = await turn;
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(10);
    expect(decisions.filter(({ degraded }) => degraded !== undefined)).toEqual([]);
  });

  it("calls wait for a node-redis client that is connecting", async () => {
    const server = await startRedisHere();
    await server.kill();
    const client = createClient({ socket: { port: server.port, reconnectStrategy: () => 20 } });
    client.on("error", () => {});
    const connected = client.connect();
    const limiter = limiterOn(client);
    const turn = Promise.all(Array.from({ length: 100 }, () => limiter.consume("ann")));
    await sleep(CONNECTING_MS);
    await server.restart();
    await connected;
    onTestFinished(() => {
      client.destroy();
    });
    const decisions = await turn;
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(10);
    expect(decisions.filter(({ degraded }) => degraded !== undefined)).toEqual([]);
  });

  it("calls wait for a client that begins to connect in the same turn", async () => {
    const server = await startRedisHere();
    const client = new Redis(server.port, { lazyConnect: true });
    onTestFinished(() => client.disconnect());
    const decided = limiterOn(client).consume("ann");
    await client.connect();
    expect(await decided).toMatchObject({ allowed: true, remaining: 9 });
  });

  it("calls wait at most connectTimeout after the first call, and later calls at most the timeout", async () => {
    const server = await startRedisHere();
    await server.kill();
    const limiter = limiterOn(ioredisOn(server.port), { connectTimeout: 300, onFailure: "deny" });
    const startedMs = performance.now();
    const first = await limiter.consume("ann");
    expect(first).toMatchObject({ allowed: false, reason: "store-unavailable" });
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(290);
    const laterMs = performance.now();
    expect((await limiter.consume("ann")).allowed).toBe(false);
    expect(performance.now() - laterMs).toBeLessThan(290);
  });
});
