import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RedisServer } from "../stores/redis/servers/redis-server.ts";
import { startRedis } from "../stores/redis/servers/start-redis.ts";
import { callInAProcess } from "./kit/call-in-processes.ts";
import { callFiguresOf } from "./kit/call-table.ts";
import { ALGORITHMS, LIMIT } from "./kit/flood.ts";

const CALLS = 100_000;
/** The calls of one turn: no more than the store accepts for one key at once. */
const TURN = 10_000;
const SLOW_US = 5_000;
/** A busy machine can interrupt a call of the script, which makes that call slow. */
const AGAIN = { retry: 2 };

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis({ args: ["--slowlog-log-slower-than", String(SLOW_US), "--slowlog-max-len", "10000"] });
});
afterAll(async () => redis.stop());

/** The number, the time, the duration in µs, and the command with its arguments. */
type SlowlogEntry = readonly [number, number, number, readonly string[]];

/** The durations in µs of the slow calls of the script. */
async function slowScripts(): Promise<readonly number[]> {
  const entries = (await redis.command("SLOWLOG", "GET", -1)) as readonly SlowlogEntry[];
  return entries.filter(([, , , [command]]) => /^eval/i.test(command!)).map(([, , us]) => us);
}

describe("100,000 calls for one key occupy Redis for at most 5 ms at a time:", () => {
  const cases = ALGORITHMS.flatMap((algorithm) =>
    [LIMIT, 10 * CALLS].map((capacity) => [algorithm, capacity] as const),
  );
  it.for(cases)("%s, limit: %i", AGAIN, async ([algorithm, capacity], { task }) => {
    await redis.command("FLUSHALL");
    await redis.command("SLOWLOG", "RESET");
    const findings = await callInAProcess({
      ...{ client: "ioredis", algorithm, port: redis.port, policy: "deny", capacity },
      ...{ verb: "allow", start: "warm", clients: 1, calls: CALLS, turn: TURN, keys: 1 },
      options: { timeout: "20s" },
    });
    const slowUs = await slowScripts();
    task.meta.figures = [
      callFiguresOf(
        "100,000 calls for one key, 10,000 in a turn",
        {
          algorithm,
          limit: capacity,
          "calls over 5 ms": slowUs.length,
          "longest of them ms": Math.max(0, ...slowUs) / 1_000,
        },
        findings,
      ),
    ];
    expect(findings).toMatchObject({ admitted: Math.min(capacity, CALLS), thrown: 0, opened: 0 });
    expect(slowUs).toEqual([]);
  });
});
