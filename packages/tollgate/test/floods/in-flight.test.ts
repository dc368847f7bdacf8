import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RedisServer } from "../redis/servers/redis-server.ts";
import { startRedis } from "../redis/servers/start-redis.ts";
import { callInAProcess } from "./kit/call-in-processes.ts";
import { callFiguresOf } from "./kit/call-table.ts";
import { LIMIT } from "./kit/flood.ts";

const CALLS = 300_000;
/** Of which the promises that the caller has been given are a good part. */
const MOST_MB = 600;

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => redis.stop());
beforeEach(async () => {
  await redis.command("FLUSHALL");
});

describe("300,000 calls in flight", () => {
  it.for([1, 300, CALLS])("take bounded memory: keys: %i", async (keys, { task }) => {
    const findings = await callInAProcess({
      ...{ client: "ioredis", algorithm: "token bucket", port: redis.port, policy: "deny", capacity: LIMIT },
      ...{ verb: "consume", start: "warm", clients: 1, calls: CALLS, keys },
    });
    task.meta.figures = [callFiguresOf("300,000 calls in one turn", { client: "ioredis", keys }, findings)];
    expect(findings.grownMb).toBeLessThanOrEqual(MOST_MB);
    expect(findings.thrown).toBe(0);
    expect(findings.admitted).toBeLessThanOrEqual(keys * LIMIT);
  });
});
