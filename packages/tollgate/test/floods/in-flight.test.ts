import { beforeEach, describe, expect, it } from "vitest";
import { ofFile } from "../of-file.ts";
import { startRedis } from "../stores/redis/servers/start-redis.ts";
import { callInAProcess } from "./kit/call-in-processes.ts";
import { LIMIT } from "./kit/flood.ts";

const CALLS = 300_000;
/** All at once, and as a busy server makes them: a slow Redis then leaves as many of them waiting. */
const CASES = [
  [CALLS, CALLS, 550],
  [1_000, 1, 300],
] as const;

const redis = await ofFile(startRedis());
beforeEach(async () => {
  await redis.command("FLUSHALL");
});

describe("300,000 calls made without waiting for answers", () => {
  // The promise and the decision of a call stay in memory until the end of the turn that made the call. Calls that wait
  // for the server need several times as much.
  it.for(CASES)(
    "take a bounded amount of memory: %i in a turn, for %i keys, at most %i MB",
    async ([turn, keys, mostMb]) => {
      const findings = await callInAProcess({
        ...{ client: "ioredis", algorithm: "token bucket", port: redis.port, policy: "deny", capacity: LIMIT },
        ...{ verb: "consume", start: "warm", clients: 1, calls: CALLS, turn, pace: "next", keys },
      });
      expect(findings.grownMb).toBeLessThanOrEqual(mostMb);
      expect(findings.thrown).toBe(0);
      expect(findings.admitted).toBeLessThanOrEqual(keys * LIMIT);
    },
  );
});
