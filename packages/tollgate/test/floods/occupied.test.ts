import { describe, expect, it } from "vitest";
import { ofFile } from "../of-file.ts";
import { startRedis } from "../stores/redis/servers/start-redis.ts";
import { callInAProcess } from "./kit/call-in-processes.ts";
import { ALGORITHMS, LIMIT } from "./kit/flood.ts";

const CALLS = 100_000;
/** The calls of one turn: no more than the store accepts for one key at once. */
const TURN = 10_000;
const SLOW_US = 5_000;

const redis = await ofFile(startRedis({ args: ["--slowlog-log-slower-than", "0", "--slowlog-max-len", "10000"] }));

/** The number, the time, the duration in µs, and the command with its arguments. */
type SlowlogEntry = readonly [number, number, number, readonly string[]];

/** The median duration in µs of the calls of the script: a busy machine interrupts single calls. */
async function medianUs(): Promise<number> {
  const entries = (await redis.command("SLOWLOG", "GET", -1)) as readonly SlowlogEntry[];
  const calls = entries.filter(([, , , [command]]) => /^eval/i.test(command!)).map(([, , us]) => us);
  return calls.sort((a, b) => a - b)[calls.length >> 1]!;
}

describe("100,000 calls for one key occupy Redis for at most 5 ms at a time:", () => {
  const cases = ALGORITHMS.flatMap((algorithm) =>
    [LIMIT, 10 * CALLS].map((capacity) => [algorithm, capacity] as const),
  );
  it.for(cases)("%s, limit: %i", async ([algorithm, capacity]) => {
    await redis.command("FLUSHALL");
    await redis.command("SLOWLOG", "RESET");
    const findings = await callInAProcess({
      ...{ client: "ioredis", algorithm, port: redis.port, policy: "deny", capacity },
      ...{ verb: "allow", start: "warm", clients: 1, calls: CALLS, turn: TURN, keys: 1 },
      options: { timeout: "20s" },
    });
    expect(findings).toMatchObject({ admitted: Math.min(capacity, CALLS), thrown: 0, opened: 0 });
    expect(await medianUs()).toBeLessThanOrEqual(SLOW_US);
  });
});
