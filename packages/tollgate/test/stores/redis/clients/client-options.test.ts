import { Cluster, Redis, type RedisOptions } from "ioredis";
import { createClient, createClientPool, createCluster, RESP_TYPES } from "redis";
import { createClient as createClient4 } from "redis-4";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { cancel, createCancelFlag } from "../../../../src/stores/redis/clients/cancel-flag.ts";
import { clientFailure } from "../../../../src/stores/redis/clients/client-failure.ts";
import { findPort } from "../../../../src/stores/redis/clients/find-port.ts";
import { eventuallyTrue } from "../servers/eventually.ts";
import type { RedisServer } from "../servers/redis-server.ts";
import { type RedisCluster, startCluster } from "../servers/start-cluster.ts";
import { startRedis } from "../servers/start-redis.ts";
import { startProxyHere } from "../servers/test-servers.ts";
import { COUNTING_SCRIPT, callOf } from "./kit/counting-script.ts";
import { allOf } from "./kit/port-results.ts";

let redis: RedisServer;
let cluster: RedisCluster;
beforeAll(async () => {
  redis = await startRedis();
  cluster = await startCluster({ primaries: 3, replicas: 0 });
});
afterAll(async () => {
  await redis.stop();
  await cluster.stop();
});
beforeEach(async () => {
  for (const server of [redis, ...cluster.nodes]) await server.command("FLUSHALL");
});

function ioredis({ replyMapping = "legacy", ...options }: RedisOptions): Redis<"legacy" | "resp3"> {
  const client = new Redis({ port: redis.port, replyMapping, ...options });
  client.on("error", () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

async function nodeRedis(options: Parameters<typeof createClient>[0]) {
  const client = createClient({ ...options, socket: { port: redis.port } });
  onTestFinished(() => client.destroy());
  return client.connect();
}

describe("a prefix that the client adds to keys", () => {
  const keyPrefix = "app*:";
  const clients: Record<string, () => Promise<object> | object> = {
    "of ioredis": () => ioredis({ keyPrefix }),
    "of a Cluster of ioredis": () => {
      const client = new Cluster(
        cluster.addresses.map(({ port }) => port),
        { keyPrefix },
      );
      onTestFinished(() => client.disconnect());
      return client;
    },
    "of redis": async () => nodeRedis({ keyPrefix }),
    "of a cluster of redis": async () => {
      const client = createCluster({ rootNodes: cluster.addresses.map((socket) => ({ socket })), keyPrefix });
      onTestFinished(() => client.destroy());
      return client.connect();
    },
  };

  it.each(Object.entries(clients))("%s is there on the server, and not in what is found", async (what, connect) => {
    const port = findPort(await connect(), COUNTING_SCRIPT);
    expect(await port.run(callOf(["{a}1", "{a}2"]))).toEqual([1, 1, 0]);
    const server = what.includes("luster") ? await cluster.primaryOf(`${keyPrefix}{a}1`) : redis;
    expect(await server.command("EXISTS", `${keyPrefix}{a}1`, `${keyPrefix}{a}2`)).toBe(2);
    await server.command("SET", "{a}1", "1");
    expect(await allOf(port.scan("{a}"))).toEqual(["{a}1", "{a}2"]);
    await port.unlink(["{a}1", "{a}2"]);
    expect(await server.command("EXISTS", `${keyPrefix}{a}1`, `${keyPrefix}{a}2`, "{a}1")).toBe(1);
  });

  it("is refused when it is no string", () => {
    const client = ioredis({ keyPrefix: Buffer.from("app:") as unknown as string, lazyConnect: true });
    expect(() => findPort(client, COUNTING_SCRIPT)).toThrow(
      "client: expected its keyPrefix to be a string, got an object",
    );
  });

  it.each([
    ["", true],
    ["app:", true],
    ["{app}:", true],
    ["a}b{c}d{", true],
    ["{}:", false],
    ["app{:", false],
    ["}{", false],
  ])("%j keeps the keys of a call in one slot: %s", (prefix, isAccepted) => {
    const client = new Cluster([1], { keyPrefix: prefix, lazyConnect: true });
    const find = () => findPort(client, COUNTING_SCRIPT);
    if (isAccepted) expect(find).not.toThrow();
    else
      expect(find).toThrow(/client: expected the keyPrefix for a cluster to have no brace, or a whole hash tag, got "/);
  });
});

describe("replies in another form", () => {
  it("are read from ioredis, whichever protocol and numbers it is told to use", async () => {
    for (const options of [{ stringNumbers: true }, { protocol: 2 }, { protocol: 3, replyMapping: "resp3" }] as const) {
      const port = findPort(ioredis(options), COUNTING_SCRIPT);
      await redis.command("DEL", "a");
      expect(await port.run(callOf(["a"]))).toEqual([1, 0]);
      expect(await allOf(port.scan(""))).toEqual(["a"]);
    }
  });

  it("are read from redis, whichever protocol and types it is told to use", async () => {
    const { NUMBER, BLOB_STRING, SIMPLE_STRING } = RESP_TYPES;
    const types = { [NUMBER]: String, [BLOB_STRING]: Buffer, [SIMPLE_STRING]: Buffer };
    for (const RESP of [2, 3] as const) {
      for (const commandOptions of [{}, { typeMapping: types }]) {
        const port = findPort(await nodeRedis({ RESP, commandOptions }), COUNTING_SCRIPT);
        await redis.command("DEL", "é");
        expect(await port.run(callOf(["é"]))).toEqual([1, 0]);
        expect(await allOf(port.scan("é"))).toEqual(["é"]);
      }
    }
  });
});

describe("a client that has yet to connect", () => {
  it("connects with the first call, and says no before that only while it tries", async () => {
    const client = ioredis({ lazyConnect: true });
    const port = findPort(client, COUNTING_SCRIPT);
    expect(port.connected).toBe(true);
    const reply = port.run(callOf(["a"]));
    expect(port.connected).toBe(false);
    expect(await reply).toEqual([1, 0]);
    expect(port.connected).toBe(true);
  });

  it("scans all primaries even if it does that first", async () => {
    for (let i = 0; i < 30; i += 1) await (await cluster.primaryOf(`k${i}`)).command("SET", `k${i}`, "1");
    const client = new Cluster([{ port: cluster.addresses[0]!.port }], { lazyConnect: true });
    onTestFinished(() => client.disconnect());
    expect(await allOf(findPort(client, COUNTING_SCRIPT).scan("k"))).toHaveLength(30);
  });

  it("of redis has to be connected by its owner", async () => {
    const port = findPort(createClient({ socket: { port: redis.port } }), COUNTING_SCRIPT);
    expect(port.connected).toBe(false);
    const error: unknown = await port.run(callOf(["a"])).catch((thrown: unknown) => thrown);
    expect(clientFailure(error)).toEqual({ kind: "unavailable", cause: "the client is closed" });
  });
});

describe("a client that gives up by itself", () => {
  it("leaves nothing behind that could land: the fence is void by then", async () => {
    const proxy = await startProxyHere(redis);
    const client = ioredis({ port: proxy.port, commandTimeout: 50, retryStrategy: () => 10 });
    const port = findPort(client, COUNTING_SCRIPT);
    await eventuallyTrue("an answer", async () => (await port.run(callOf(["warm"]))).length > 0);
    proxy.hold();
    const call = callOf(["a"]);
    const error: unknown = await port.run(call).catch((thrown: unknown) => thrown);
    expect(clientFailure(error)).toEqual({ kind: "unavailable", cause: "timed out" });
    expect(call.cancelFlag.argument).not.toEqual(createCancelFlag().argument);
    // ioredis sends it again all the same.
    await proxy.pass("drop");
    await eventuallyTrue("an answer", async () => (await port.run(callOf(["back"]))).length > 0);
    expect(await redis.command("EXISTS", "a")).toBe(0);
  });
});

describe("clients that gather calls", () => {
  it("of ioredis send the fence as it is when they do", async () => {
    const port = findPort(ioredis({ enableAutoPipelining: true }), COUNTING_SCRIPT);
    const calls = ["a", "b", "c"].map((key) => callOf([key]));
    const replies = Promise.all(calls.map(async (call) => port.run(call)));
    cancel(calls[1]!.cancelFlag);
    expect(await replies).toEqual([[1, 0], [], [1, 0]]);
  });

  it("of redis send the fence as it is when they do", async () => {
    const port = findPort(await nodeRedis({}), COUNTING_SCRIPT);
    await port.run(callOf(["warm"]));
    const calls = ["a", "b", "c"].map((key) => callOf([key]));
    const replies = Promise.all(calls.map(async (call) => port.run(call)));
    cancel(calls[1]!.cancelFlag);
    expect(await replies).toEqual([[1, 0], [], [1, 0]]);
  });

  it("of redis may be a pool", async () => {
    const pool = createClientPool({ socket: { port: redis.port } }, { minimum: 2, maximum: 4 });
    onTestFinished(() => pool.destroy());
    await pool.connect();
    const port = findPort(pool, COUNTING_SCRIPT);
    expect(port).toMatchObject({ name: "redis", cluster: false, connected: true });
    const replies = await Promise.all(Array.from({ length: 20 }, async () => port.run(callOf(["a"]))));
    expect(replies.map(([count]) => count).sort((a, b) => a! - b!)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
  });
});

describe("the end of a connection", () => {
  it("is told until nobody wants to hear of it", async () => {
    const client = ioredis({ retryStrategy: () => 1 });
    await client.ping();
    const before = client.listenerCount("close");
    let lost = 0;
    const stop = findPort(client, COUNTING_SCRIPT).onLost(() => {
      lost += 1;
    });
    client.disconnect(true);
    await eventuallyTrue("the loss", () => lost === 1);
    await client.ping();
    stop();
    expect(client.listenerCount("close")).toBe(before);
  });

  it("is told of every node of a cluster, those that come later included", async () => {
    const client = new Cluster(cluster.addresses.map(({ port }) => port));
    onTestFinished(() => client.disconnect());
    await client.ping();
    const first = client.nodes();
    const port = findPort(client, COUNTING_SCRIPT);
    let lost = 0;
    const stop = port.onLost(() => {
      lost += 1;
    });
    first[0]!.disconnect();
    await eventuallyTrue("the loss", () => lost === 1);
    // Calls for its slots bring it back.
    for (let i = 0; client.nodes().length < 3; i += 1) await port.run(callOf([`key${i}`]));
    client
      .nodes()
      .find((node) => !first.includes(node))!
      .disconnect();
    await eventuallyTrue("the loss of the new node", () => lost === 2);
    stop();
    first[1]!.disconnect();
    await eventuallyTrue("the end", () => first[1]!.status === "end");
    expect(lost).toBe(2);
    expect(first.map((node) => node.listenerCount("close"))).toEqual([0, 0, 0]);
    expect(client.listenerCount("+node")).toBe(0);
  });
});

it("does not take redis 4 in its legacy mode, which hands out no promises", () => {
  expect(() => findPort(createClient4({ legacyMode: true }), COUNTING_SCRIPT)).toThrow(
    "client: expected a client of ioredis, redis, iovalkey, @valkey/valkey-glide or @upstash/redis, got an object",
  );
});
