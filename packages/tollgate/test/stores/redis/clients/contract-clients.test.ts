import { redisStore } from "tollgate/redis";
import { storeContract } from "tollgate/testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import { freshPrefix } from "../kit/use-redis.ts";
import type { RedisServer } from "../servers/redis-server.ts";
import { type RedisCluster, startCluster } from "../servers/start-cluster.ts";
import { startRedis } from "../servers/start-redis.ts";
import { type ConnectedClient, EVERY_CLIENT } from "./kit/every-client.ts";

/** Busy machines must cause no timeout. */
const PATIENT_MS = 10_000;

let server: RedisServer;
let cluster: RedisCluster;
beforeAll(async () => {
  [server, cluster] = await Promise.all([startRedis(), startCluster({ primaries: 3, replicas: 0 })]);
}, 60_000);
afterAll(async () => {
  await Promise.all([server.stop(), cluster.stop()]);
});

/** ioredis has its own test files. */
const CLIENTS = EVERY_CLIENT.filter(({ name }) => name !== "ioredis");

describe.each(CLIENTS)("the store contract holds over $name", ({ connect, connectCluster }) => {
  describe("on a single server", () => {
    itKeepsTheContract(() => connect(server));
  });

  describe("in a cluster", () => {
    itKeepsTheContract(() => connectCluster(cluster.addresses));
  });
});

function itKeepsTheContract(connect: () => Promise<ConnectedClient>): void {
  let connected: ConnectedClient;
  beforeAll(async () => {
    connected = await connect();
  });
  afterAll(async () => connected.close());

  const createStore = () => {
    const { client } = connected;
    // Manual clocks stand still in many cases, so keys live a day longer.
    return redisStore({ client, prefix: freshPrefix(), time: "client", maxSkewMs: 86_400_000, timeoutMs: PATIENT_MS });
  };
  it.each(storeContract({ createStore }))("$name", async ({ run }) => {
    await run();
  });
}
