import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RedisServer } from "../stores/redis/servers/redis-server.ts";
import { startRedis } from "../stores/redis/servers/start-redis.ts";
import { callInProcesses } from "./kit/call-in-processes.ts";
import { callFiguresOf } from "./kit/call-table.ts";
import type { CallerOrders } from "./kit/caller.ts";
import { ALGORITHMS, type ClientName } from "./kit/flood.ts";

const PROCESSES = 4;
const CLIENTS_OF_EACH = 4;
const CALLS_OF_EACH = 250;
const CAPACITY = 1_000;
const RUNS: readonly ClientName[] = ["ioredis", "redis", "iovalkey", "glide", "ioredis", "redis"];

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => redis.stop());
beforeEach(async () => {
  await redis.command("FLUSHALL");
  // Before the first deployment the server has no script.
  await redis.command("SCRIPT", "FLUSH", "SYNC");
});

describe("four processes that create their clients and call at once", () => {
  it.for(RUNS.map((client, run) => [client, ALGORITHMS[run % ALGORITHMS.length]!, run + 1] as const))(
    "are admitted exactly the limit, by Redis: %s, %s, run %i",
    async ([client, algorithm], { task }) => {
      const orders: CallerOrders = {
        ...{ client, algorithm, port: redis.port, policy: "allow", capacity: CAPACITY, verb: "consume" },
        ...{ start: "cold", clients: CLIENTS_OF_EACH, calls: CALLS_OF_EACH, keys: 1 },
      };
      const all = await callInProcesses(Array.from({ length: PROCESSES }, () => orders));
      const figures = callFiguresOf(
        "4 processes, 4 clients each, 250 calls each, limit 1,000",
        { client, algorithm },
        ...all,
      );
      task.meta.figures = [figures];
      const { admitted, degraded, thrown } = figures.cells;
      expect({ admitted, degraded, thrown }).toEqual({ admitted: CAPACITY, degraded: 0, thrown: 0 });
    },
  );
});
