import { afterAll, beforeAll, describe } from "vitest";
import { type RedisCluster, startCluster } from "../servers/start-cluster.ts";
import { CLIENTS, itKeepsTheContract } from "./kit/contract-of-client.ts";

let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await startCluster({ primaries: 3, replicas: 0 });
});
afterAll(async () => {
  await cluster.stop();
});

describe.each(CLIENTS)("the store contract holds in a cluster over $name", ({ connectCluster }) => {
  itKeepsTheContract(() => connectCluster(cluster.addresses));
});
