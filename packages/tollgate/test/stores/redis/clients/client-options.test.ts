import { Cluster, Redis, type RedisOptions } from "ioredis";
import { createClient, createCluster, RESP_TYPES } from "redis";
import { createClient as createClient4 } from "redis-4";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { RUN } from "../../../../src/stores/redis/clients/cancel-flag.ts";
import { clientFailure } from "../../../../src/stores/redis/clients/client-failure.ts";
import { findPort } from "../../../../src/stores/redis/clients/find-port.ts";
import { ofFile } from "../../../of-file.ts";
import { eventuallyTrue } from "../servers/eventually.ts";
import { startCluster } from "../servers/start-cluster.ts";
import { startRedis } from "../servers/start-redis.ts";
import { startProxyHere } from "../servers/test-servers.ts";
import { COUNTING_SCRIPT, callOf } from "./kit/counting-script.ts";
import { allOf } from "./kit/port-results.ts";

const redis = await ofFile(startRedis());
const cluster = await ofFile(startCluster({ primaries: 3, replicas: 0 }));
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

describe("a keyPrefix of the client", () => {
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

  it.each(Object.entries(clients))(
    "the keyPrefix of %s is on the server, and not in the results of scans",
    async (what, connect) => {
      const port = findPort(await connect(), COUNTING_SCRIPT);
      expect(await port.run(callOf(["{a}1", "{a}2"]))).toEqual([1, 1, 0]);
      const server = what.includes("luster") ? await cluster.primaryOf(`${keyPrefix}{a}1`) : redis;
      expect(await server.command("EXISTS", `${keyPrefix}{a}1`, `${keyPrefix}{a}2`)).toBe(2);
      await server.command("SET", "{a}1", "1");
      expect(await allOf(port.scan("{a}"))).toEqual(["{a}1", "{a}2"]);
    },
  );

  it.each([
    ["", true],
    ["app:", true],
    ["{app}:", true],
    ["a}b{c}d{", true],
    ["{}:", false],
    ["app{:", false],
    ["}{", false],
  ])("the keyPrefix %j keeps the keys of a call in one slot: %s", (prefix, isAccepted) => {
    const client = new Cluster([1], { keyPrefix: prefix, lazyConnect: true });
    const find = () => findPort(client, COUNTING_SCRIPT);
    if (isAccepted) expect(find).not.toThrow();
    else
      expect(find).toThrow(/client: expected the keyPrefix for a cluster to have no brace, or a whole hash tag, got "/);
  });
});

describe("replies in other formats", () => {
  it("replies of ioredis are decoded under all protocols and number formats", async () => {
    for (const options of [{ stringNumbers: true }, { protocol: 2 }, { protocol: 3, replyMapping: "resp3" }] as const) {
      const port = findPort(ioredis(options), COUNTING_SCRIPT);
      await redis.command("DEL", "a");
      expect(await port.run(callOf(["a"]))).toEqual([1, 0]);
      expect(await allOf(port.scan(""))).toEqual(["a"]);
    }
  });

  it("replies of redis are decoded under all protocols and types", async () => {
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

describe("a client that times out by itself", () => {
  it("a call that the client timed out is cancelled", async () => {
    const proxy = await startProxyHere(redis);
    const client = ioredis({ port: proxy.port, commandTimeout: 50, retryStrategy: () => 10 });
    const port = findPort(client, COUNTING_SCRIPT);
    await eventuallyTrue("an answer", async () => (await port.run(callOf(["warm"]))).length > 0);
    proxy.hold();
    const call = callOf(["a"]);
    const error: unknown = await port.run(call).catch((thrown: unknown) => thrown);
    expect(clientFailure(error)).toEqual({ kind: "unavailable", cause: "timed out" });
    expect(call.cancelFlag.text).not.toEqual(RUN);
    // ioredis still sends the call again.
    await proxy.pass("drop");
    await eventuallyTrue("an answer", async () => (await port.run(callOf(["back"]))).length > 0);
    expect(await redis.command("EXISTS", "a")).toBe(0);
  });
});

describe("clients that queue calls", () => {
  it("redis sends the current value of the cancel flag", async () => {
    const port = findPort(await nodeRedis({}), COUNTING_SCRIPT);
    await port.run(callOf(["warm"]));
    const calls = ["a", "b", "c"].map((key) => callOf([key]));
    const replies = Promise.all(calls.map(async (call) => port.run(call)));
    calls[1]!.cancelFlag.cancel();
    expect(await replies).toEqual([[1, 0], [], [1, 0]]);
  });
});

describe("a lost connection", () => {
  it("a lost connection of any cluster node notifies, including nodes that join later", async () => {
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
    // Calls for its slots reconnect the node.
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

it("findPort throws for redis 4 in its legacy mode, which returns no promises", () => {
  expect(() => findPort(createClient4({ legacyMode: true }), COUNTING_SCRIPT)).toThrow(
    "client: expected a client of ioredis, redis, iovalkey, @valkey/valkey-glide or @upstash/redis, or { sendCommand }, got an object",
  );
});
