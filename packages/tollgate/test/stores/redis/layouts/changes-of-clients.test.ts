import { Redis } from "@upstash/redis";
import { type AsyncLimiter, createLimiter, type Limit, perDay, slidingWindow } from "tollgate";
import type { StoreClient } from "tollgate/redis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConnectedClient, EVERY_CLIENT, OLDER_CLIENTS } from "../clients/kit/every-client.ts";
import { UpstashServer } from "../clients/upstash-server.ts";
import { KEYS_OF_THREE_PRIMARIES } from "../kit/use-cluster.ts";
import { freshPrefix, openStore } from "../kit/use-redis.ts";
import type { RedisServer } from "../servers/redis-server.ts";
import { type RedisCluster, startCluster } from "../servers/start-cluster.ts";
import { startRedis } from "../servers/start-redis.ts";

const CLIENTS = [...EVERY_CLIENT, ...OLDER_CLIENTS];

let server: RedisServer;
let upstash: UpstashServer;
let cluster: RedisCluster;
beforeAll(async () => {
  [server, cluster] = await Promise.all([startRedis(), startCluster({ primaries: 3, replicas: 0 })]);
  upstash = await UpstashServer.start(server);
});
afterAll(async () => {
  await upstash.stop();
  await Promise.all([server.stop(), cluster.stop()]);
});

const calls = (capacity: number) => perDay(capacity, { name: "calls" });
const BURST = slidingWindow({ name: "burst", limit: 6, window: "1h" });

/** Three processes: two versions, and a third that keeps first numbers. */
function limitersOver(clients: readonly StoreClient[]): AsyncLimiter[] {
  const prefix = freshPrefix();
  const lists: readonly (readonly Limit[])[] = [[calls(5), BURST], [calls(8)], [calls(20)]];
  return lists.map((limits, i) => {
    const store = openStore(clients[i % clients.length]!, { prefix, denyCache: false });
    return createLimiter({ name: "api", limits, store, onChange: i < 2 ? "carry-over" : "keep-first" });
  });
}

async function playChanges(clients: readonly StoreClient[], keys: readonly string[]): Promise<void> {
  const [old, young, keeping] = limitersOver(clients) as [AsyncLimiter, AsyncLimiter, AsyncLimiter];
  const byAll = (ask: (key: string) => Promise<unknown>) => Promise.all(keys.map(ask));
  const alike = <T>(value: T) => keys.map(() => value);
  await byAll((key) => old.consume(key, 4));
  expect(await byAll((key) => young.allow(key, 4))).toEqual(alike(true));
  expect(await byAll((key) => keeping.consume(key))).toMatchObject(alike({ allowed: false, limit: { capacity: 8 } }));
  expect(await byAll((key) => old.consume(key))).toMatchObject(alike({ allowed: false, limit: { capacity: 5 } }));
  expect(await byAll((key) => old.explain(key))).toMatchObject(alike([{ used: 8 }, { name: BURST.name, used: 4 }]));
  expect(await young.size()).toBe(keys.length);
  await byAll((key) => young.reset(key));
  expect(await byAll((key) => keeping.consume(key))).toMatchObject(alike({ allowed: true, remaining: 19 }));
}

describe.each(CLIENTS)("limits that change, over $name", ({ connect, connectCluster }) => {
  it.each(["one server", "a cluster"])("versions of a deployment find each other's counts: %s", async (kind) => {
    const open = (): Promise<ConnectedClient> =>
      kind === "a cluster" ? connectCluster(cluster.addresses) : connect(server);
    const connected = await Promise.all([open(), open()]);
    try {
      await playChanges(
        connected.map(({ client }) => client),
        KEYS_OF_THREE_PRIMARIES,
      );
    } finally {
      await Promise.all(connected.map((one) => one.close()));
    }
  });
});

describe("limits that change, over @upstash/redis", () => {
  it("versions of a deployment find each other's counts", async () => {
    const client = new Redis({ url: upstash.url, token: upstash.token, retry: { retries: 0 } });
    await playChanges([client], KEYS_OF_THREE_PRIMARIES);
  });
});
