import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { type AsyncLimiter, createLimiter, perDay } from "tollgate";
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
    const open = () => limiterOn(ioredisOn(server.port), { connectTimeout: 1_000, onFailure: "deny" });
    const ended: string[] = [];
    const ask = async (limiter: AsyncLimiter, name: string) => {
      expect(await limiter.consume("ann")).toMatchObject({ allowed: false, reason: "store-unavailable" });
      ended.push(name);
    };
    const limiter = open();
    const startedMs = performance.now();
    await ask(limiter, "first");
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(990);
    // A blocked event loop delays both, and does not change their order.
    await Promise.all([ask(open(), "first of another store"), ask(limiter, "later")]);
    expect(ended).toEqual(["first", "later", "first of another store"]);
  });
});
