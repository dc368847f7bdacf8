import type { Redis as Upstash } from "@upstash/redis";
import type { GlideClient, GlideClusterClient } from "@valkey/valkey-glide";
import type { Cluster, Redis } from "ioredis";
import type { Cluster as Cluster5, Redis as Redis5 } from "ioredis-5";
import type { Redis as Valkey, Cluster as ValkeyCluster } from "iovalkey";
import {
  createClient,
  type createClientPool,
  type createCluster,
  type createSentinel,
  type RedisClientType,
  type RedisFunctions,
  type RedisModules,
  type RedisScripts,
} from "redis";
import { createClient as createClient4, type createCluster as createCluster4 } from "redis-4";
import {
  createClient as createClient5,
  type createClientPool as createClientPool5,
  type createCluster as createCluster5,
  type createSentinel as createSentinel5,
} from "redis-5";
import { redisStore, type StoreClient } from "tollgate/redis";
import { describe, expect, expectTypeOf, it, onTestFinished } from "vitest";
import { startRedisHere } from "../servers/test-servers.ts";

const CLIENT =
  "client: expected a client of ioredis, redis, iovalkey, @valkey/valkey-glide or @upstash/redis, or { sendCommand }, got ";
const NOT_CONNECTED =
  "client: expected a client of redis that is connected, got one that is not; call await client.connect() first";

describe("the type of the option client", () => {
  it("takes the clients of ioredis and iovalkey", () => {
    expectTypeOf<Redis>().toExtend<StoreClient>();
    expectTypeOf<Redis<"resp3">>().toExtend<StoreClient>();
    expectTypeOf<Cluster>().toExtend<StoreClient>();
    expectTypeOf<Redis5>().toExtend<StoreClient>();
    expectTypeOf<Cluster5>().toExtend<StoreClient>();
    expectTypeOf<Valkey>().toExtend<StoreClient>();
    expectTypeOf<ValkeyCluster>().toExtend<StoreClient>();
  });

  it("takes the clients of redis", () => {
    expectTypeOf<ReturnType<typeof createClient>>().toExtend<StoreClient>();
    expectTypeOf<RedisClientType<RedisModules, RedisFunctions, RedisScripts, 2>>().toExtend<StoreClient>();
    expectTypeOf<ReturnType<typeof createClientPool>>().toExtend<StoreClient>();
    expectTypeOf<ReturnType<typeof createCluster>>().toExtend<StoreClient>();
    expectTypeOf<ReturnType<typeof createSentinel>>().toExtend<StoreClient>();
    expectTypeOf<ReturnType<typeof createClient5>>().toExtend<StoreClient>();
    expectTypeOf<ReturnType<typeof createClientPool5>>().toExtend<StoreClient>();
    expectTypeOf<ReturnType<typeof createCluster5>>().toExtend<StoreClient>();
    expectTypeOf<ReturnType<typeof createSentinel5>>().toExtend<StoreClient>();
    expectTypeOf<ReturnType<typeof createClient4>>().toExtend<StoreClient>();
    expectTypeOf<ReturnType<typeof createCluster4>>().toExtend<StoreClient>();
  });

  it("takes the clients of valkey-glide and Upstash", () => {
    expectTypeOf<GlideClient>().toExtend<StoreClient>();
    expectTypeOf<GlideClusterClient>().toExtend<StoreClient>();
    expectTypeOf<Upstash>().toExtend<StoreClient>();
  });

  it("takes no address, no promise of a client, no pipeline, no options of a client and no client of another kind", () => {
    expectTypeOf<string>().not.toExtend<StoreClient>();
    expectTypeOf<URL>().not.toExtend<StoreClient>();
    expectTypeOf<Promise<Redis>>().not.toExtend<StoreClient>();
    expectTypeOf<ReturnType<typeof GlideClient.createClient>>().not.toExtend<StoreClient>();
    expectTypeOf<ReturnType<ReturnType<typeof createClient>["connect"]>>().not.toExtend<StoreClient>();
    expectTypeOf<ReturnType<Redis["pipeline"]>>().not.toExtend<StoreClient>();
    expectTypeOf<ReturnType<Upstash["pipeline"]>>().not.toExtend<StoreClient>();
    expectTypeOf<typeof Redis>().not.toExtend<StoreClient>();
    expectTypeOf<{ host: string; port: number }>().not.toExtend<StoreClient>();
    expectTypeOf<{ get(key: string): Promise<string>; set(key: string, value: string): Promise<void> }>() //
      .not.toExtend<StoreClient>();
  });
});

describe("what is mistaken for a client throws with what to do", () => {
  it("an address throws, and is not shown, because it may have a password", () => {
    const advice = "text; if it is an address, create a client from it, as in new Redis(address)";
    // @ts-expect-error an address is no client
    expect(() => redisStore({ client: "redis://ann:secret@127.0.0.1" })).toThrow(CLIENT + advice);
  });

  it("a URL throws", () => {
    const client = new URL("redis://127.0.0.1");
    // @ts-expect-error a URL is no client
    expect(() => redisStore({ client })).toThrow(`${CLIENT}a URL; create a client from it, as in new Redis(url.href)`);
  });

  it("a promise of a client throws", () => {
    const client = Promise.resolve({} as GlideClient);
    // @ts-expect-error a promise is no client
    expect(() => redisStore({ client })).toThrow(`${CLIENT}a promise; await it first`);
  });

  it.each([
    ["4", () => createClient4()],
    ["5", () => createClient5()],
    ["6", () => createClient()],
  ])("a client of redis %s that is not connected throws", (_version, create) => {
    expect(() => redisStore({ client: create() })).toThrow(NOT_CONNECTED);
  });

  it("a client of redis that connects is accepted, and one that was closed throws", async () => {
    const server = await startRedisHere();
    const client = createClient({ socket: { port: server.port } });
    const connected = client.connect();
    onTestFinished(() => (client.isOpen ? client.destroy() : undefined));
    await redisStore({ client }).close();
    await connected;
    await client.close();
    expect(() => redisStore({ client })).toThrow(NOT_CONNECTED);
  });
});
