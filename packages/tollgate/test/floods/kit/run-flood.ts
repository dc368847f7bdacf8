import { get } from "node:http";
import type { RedisServer } from "../../stores/redis/servers/redis-server.ts";
import type { Child } from "./child.ts";
import { type Condition, type Flood, LIMIT } from "./flood.ts";
import type { ServerOrders, ServerStarted } from "./flood-server.ts";
import type { FloodOrders } from "./flooder.ts";
import type { Keys } from "./keys.ts";
import { Surroundings } from "./surroundings.ts";
import type { Findings } from "./tally.ts";

/** The requests of a flood on all connections together. */
export const REQUESTS = 20_000;

/** Several bursts keep a flood going while a disturbance happens to Redis. */
const BURSTS: Readonly<Record<Condition, number>> = {
  healthy: 1,
  "slow by 20 ms": 1,
  "stalled for 150 ms": 10,
  full: 1,
  restarting: 10,
};
const KEYS: Readonly<Record<Condition, Keys>> = {
  healthy: "one",
  "slow by 20 ms": "one",
  "stalled for 150 ms": "in turn",
  full: "exhausted and new",
  restarting: "in turn",
};

/** The disturbances of Redis during a flood, at equal distances. */
const DISTURBANCES = 3;

/** The program of the server, which takes its orders as a message. */
export const FLOOD_SERVER: URL = new URL("flood-server.ts", import.meta.url);

/** Has a process serve over this Redis, and floods it. */
export async function runFlood(flooder: Child, server: Child, redis: RedisServer, flood: Flood): Promise<Findings> {
  const { client, condition, algorithm, connections, policy } = flood;
  await using surroundings = await Surroundings.prepare(redis, flood);
  const orders: ServerOrders = {
    ...{ client, algorithm, policy, capacity: LIMIT },
    ...surroundings.whereabouts,
  };
  const { port } = await server.request<ServerStarted>(orders);
  await getOnce(`http://127.0.0.1:${port}/warm`);
  await surroundings.before(algorithm);
  const requests = REQUESTS / connections;
  const floodOrders: FloodOrders = {
    ...{ port, connections, requests, keys: KEYS[condition] },
    burst: Math.ceil(requests / BURSTS[condition]),
    notifyEvery: REQUESTS / (DISTURBANCES + 1),
  };
  flooder.send(floodOrders);
  for (let times = 0; times < DISTURBANCES; times += 1) {
    await flooder.receive();
    await surroundings.during(times);
  }
  // Without `await` the server would end first.
  return await flooder.receive<Findings>();
}

/** After it the server is connected to Redis, and the script is loaded. */
async function getOnce(url: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    get(url, { agent: false }, (response) => response.resume().on("end", resolve)).on("error", reject);
  });
}
