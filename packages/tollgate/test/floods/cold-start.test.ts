import { beforeEach, describe, expect, it } from "vitest";
import { ofFile } from "../of-file.ts";
import { startRedis } from "../stores/redis/servers/start-redis.ts";
import { callInProcesses } from "./kit/call-in-processes.ts";
import type { CallerOrders } from "./kit/caller.ts";
import { ALGORITHMS, type ClientName } from "./kit/flood.ts";

const PROCESSES = 4;
const CLIENTS_OF_EACH = 4;
const CALLS_OF_EACH = 250;
const CAPACITY = 1_000;
const RUNS: readonly ClientName[] = ["ioredis", "redis", "iovalkey", "glide"];

const redis = await ofFile(startRedis());
beforeEach(async () => {
  await redis.command("FLUSHALL");
  // Before the first deployment the server has no script.
  await redis.command("SCRIPT", "FLUSH", "SYNC");
});

describe("four processes that create their clients and call at once", () => {
  it.for(RUNS.map((client, run) => [client, ALGORITHMS[run % ALGORITHMS.length]!, run + 1] as const))(
    "are admitted exactly the limit, by Redis: %s, %s, run %i",
    async ([client, algorithm]) => {
      const orders: CallerOrders = {
        ...{ client, algorithm, port: redis.port, policy: "allow", capacity: CAPACITY, verb: "consume" },
        ...{ start: "cold", clients: CLIENTS_OF_EACH, calls: CALLS_OF_EACH, keys: 1 },
        // A busy machine starts processes and connects for long.
        ...{ options: { timeout: "20s", connectTimeout: "60s" }, requestTimeoutMs: 20_000 },
      };
      const all = await callInProcesses(Array.from({ length: PROCESSES }, () => orders));
      expect(all.reduce((sum, { admitted }) => sum + admitted, 0)).toBe(CAPACITY);
      for (const findings of all) expect(findings).toMatchObject({ degraded: 0, thrown: 0 });
    },
  );
});
