import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { type AsyncLimiter, createLimiter, perDay } from "tollgate";
import type { RedisStore, RedisStoreObservation } from "tollgate/redis";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../kit/use-redis.ts";
import { eventuallyTrue } from "../servers/eventually.ts";
import type { RedisServer } from "../servers/redis-server.ts";
import { startRedisHere } from "../servers/test-servers.ts";

interface Node {
  readonly store: RedisStore;
  readonly limiter: AsyncLimiter;
  readonly observed: RedisStoreObservation[];
}

function node({ port }: RedisServer): Node {
  const client = new Redis({ port, retryStrategy: () => 20 });
  client.on("error", () => {});
  onTestFinished(() => client.disconnect());
  const observed: RedisStoreObservation[] = [];
  const store = openStore(client, { timeout: "100ms", observe: (observation) => observed.push(observation) });
  return { store, observed, limiter: createLimiter({ name: "api", limits: [perDay(100_000)], store }) };
}

/** Calls from several requests at a time, until the nodes' circuits are in this state. */
async function callUntil(nodes: readonly Node[], state: "closed" | "open"): Promise<void> {
  await eventuallyTrue(`circuits that are ${state}`, async () => {
    await Promise.all(nodes.flatMap(({ limiter }) => ["ann", "bob", "cid"].map((key) => limiter.allow(key))));
    return nodes.every(({ store }) => (state === "closed") === (store.breaker === "closed"));
  });
}

/** Kills the server until the circuits have been open for some probes, and restarts it. */
async function outage(server: RedisServer, nodes: readonly Node[], ms = 1_000): Promise<void> {
  await server.kill();
  await callUntil(nodes, "open");
  await sleep(ms);
  await server.restart();
  await callUntil(nodes, "closed");
}

/** The events of a store in short: those of an outage are `down` and `up`, with the failed probes in between. */
function outagesOf({ observed }: Node): string {
  return observed.map(({ type }) => type).join(" ");
}

describe("the events of an outage", () => {
  it("each of several stores observes one down, failed probes and one up when the server is killed and restarted", async () => {
    const server = await startRedisHere();
    const nodes = [node(server), node(server), node(server)];
    await callUntil(nodes, "closed");
    const startedMs = performance.now();
    await outage(server, nodes);
    const tookMs = performance.now() - startedMs;
    // Nothing follows.
    await sleep(600);
    await callUntil(nodes, "closed");
    for (const { observed, ...rest } of nodes) {
      expect(outagesOf({ observed, ...rest })).toMatch(/^down (?:probe )+up$/);
      const [down] = observed;
      expect(down).toEqual({ type: "down", cause: expect.stringMatching(/^(?:connection|not connected|timed out)/) });
      const probes = observed.filter(({ type }) => type === "probe");
      for (const probe of probes) expect(probe).toEqual({ type: "probe", cause: expect.any(String) });
      // A second has four probes; no timer is exact.
      expect(probes.length).toBeLessThan(4 * (tookMs / 1_000) + 2);
      const up = observed.at(-1) as Extract<RedisStoreObservation, { type: "up" }>;
      expect(up).toEqual({ type: "up", downForMs: expect.any(Number) });
      expect(up.downForMs).toBeGreaterThan(1_000);
      expect(up.downForMs).toBeLessThan(tookMs + 1);
    }
  });
});
