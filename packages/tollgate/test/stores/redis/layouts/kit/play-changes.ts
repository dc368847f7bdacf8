import fc from "fast-check";
import { expect } from "vitest";
import { traceWithBlocks } from "../../../../properties/change-trace-arbitrary.ts";
import { playChangesOver } from "../../../../properties/change-traces.ts";
import { freshPrefix, type RedisInUse, type StoreOptions } from "../../kit/use-redis.ts";

/** `TOLLGATE_TRACES` plays more. */
const TRACES = Number(process.env["TOLLGATE_TRACES"] ?? 1_000);

/** Plays random traces over processes that know each other's limits from the server alone. */
export async function playChangesIn(redis: RedisInUse, processes: number, options: StoreOptions): Promise<void> {
  let calls = 0;
  const play = fc.asyncProperty(traceWithBlocks, async (one) => {
    const prefix = freshPrefix();
    const stores = Array.from({ length: processes }, () => redis.storeByClock({ prefix, ...options }));
    calls += await playChangesOver(one, stores);
  });
  await fc.assert(play, { numRuns: TRACES });
  expect(calls).toBeGreaterThan(20 * TRACES);
}
