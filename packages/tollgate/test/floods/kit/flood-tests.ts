import { afterAll, beforeAll, expect, it } from "vitest";
import type { RedisServer } from "../../stores/redis/servers/redis-server.ts";
import { startRedis } from "../../stores/redis/servers/start-redis.ts";
import { Child } from "./child.ts";
import { type Condition, type Flood, floodsOf, LIMIT, SHARE_OF_LIMIT } from "./flood.ts";
import { FLOOD_SERVER, REQUESTS, runFlood } from "./run-flood.ts";
import { type Findings, mostOf, sumOf } from "./tally.ts";

/** Loading a framework and answering 20,000 requests can take many seconds on a busy machine. */
const PATIENCE = { timeout: 240_000 };

/** Tests some floods over a Redis in that condition. `expected` checks more than what holds for all. */
export function itIsFlooded(
  condition: Condition,
  args: readonly string[],
  expected: (findings: Findings, flood: Flood) => void,
): void {
  let redis: RedisServer;
  let flooder: Child;
  const floods = floodsOf(condition);
  // They load their modules at once, and not each while its flood waits.
  let servers: Child[];
  beforeAll(async () => {
    flooder = new Child(new URL("flooder.ts", import.meta.url));
    servers = floods.map(() => new Child(FLOOD_SERVER));
    redis = await startRedis({ args });
  });
  afterAll(async () => {
    await Promise.all([flooder, ...servers].map((child) => child[Symbol.asyncDispose]()));
    await redis.stop();
  });

  it.for(floods)("$client, $algorithm, connections: $connections, on failure: $policy", PATIENCE, async (flood) => {
    await using server = servers.shift()!;
    const findings = await runFlood(flooder, server, redis, flood);
    expectHonest(findings, flood);
    expected(findings, flood);
  });
}

/** Holds in every condition of Redis: a key is admitted its limit, and more only as degraded. */
function expectHonest(findings: Findings, { policy }: Flood): void {
  const { admitted, denied, unavailable } = sumOf(findings);
  // Other responses of a server, such as 500, are in none of these counts.
  expect(admitted + denied + unavailable).toBe(REQUESTS);
  expect(mostOf(findings, (tally) => tally.admitted - tally.degraded)).toBeLessThanOrEqual(LIMIT);
  if (policy === "deny") expect(sumOf(findings).degraded).toBe(0);
  if (policy === "half a share")
    expect(mostOf(findings, ({ degraded }) => degraded)).toBeLessThanOrEqual(SHARE_OF_LIMIT);
}

/** The most calls for one key that may wait for Redis at once. The store denies more, under any policy. */
const MOST_WAITING = 16_384;

/** Holds while Redis answers in time: every key is admitted its limit, and no request is admitted without Redis. */
export function expectExact(findings: Findings): void {
  for (const { admitted, degraded } of Object.values(findings.byKey)) {
    expect({ admitted, degraded }).toEqual({ admitted: LIMIT, degraded: 0 });
  }
  expect(sumOf(findings).unavailable).toBeLessThanOrEqual(REQUESTS - MOST_WAITING);
}
