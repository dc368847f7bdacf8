import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RedisServer } from "../redis/servers/redis-server.ts";
import { startRedis } from "../redis/servers/start-redis.ts";
import { callInAProcess } from "./kit/call-in-processes.ts";
import { callFiguresOf } from "./kit/call-table.ts";
import { LIMIT } from "./kit/flood.ts";

const CALLS = 300_000;
/** As busy servers make them. */
const TURN = 1_000;
const MOST_MB = 400;
/** The turn has to end before anything can be let go: the promises and decisions of all calls are there at once. */
const MOST_IN_ONE_TURN_MB = 1_100;

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => redis.stop());
beforeEach(async () => {
  await redis.command("FLUSHALL");
});

describe("300,000 calls that wait for no answer", () => {
  const cases = [
    [CALLS, 1],
    [CALLS, CALLS],
    [TURN, 1],
    [TURN, CALLS],
  ] as const;
  it.for(cases)("take bounded memory: in a turn: %i, keys: %i", async ([turn, keys], { task }) => {
    const findings = await callInAProcess({
      ...{ client: "ioredis", algorithm: "token bucket", port: redis.port, policy: "deny", capacity: LIMIT },
      ...{ verb: "consume", start: "warm", clients: 1, calls: CALLS, turn, pace: "next", keys },
    });
    task.meta.figures = [callFiguresOf("300,000 calls", { "in a turn": turn, keys }, findings)];
    expect(findings.grownMb).toBeLessThanOrEqual(turn === CALLS ? MOST_IN_ONE_TURN_MB : MOST_MB);
    expect(findings.thrown).toBe(0);
    expect(findings.admitted).toBeLessThanOrEqual(keys * LIMIT);
  });
});
