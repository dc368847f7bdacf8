import fc from "fast-check";
import { expect } from "vitest";
import { traceWithBlocks } from "../../../../properties/change-trace-arbitrary.ts";
import { playChangesOver } from "../../../../properties/change-traces.ts";
import { freshPrefix, type RedisInUse, type StoreOptions } from "../../kit/use-redis.ts";

/** `TOLLGATE_TRACES` plays more. */
const TRACES = Number(process.env["TOLLGATE_TRACES"] ?? 250);
/** Side by side they wait less for the server. */
const AT_ONCE = 25;

/**
 * Plays random traces over processes that know each other's limits from the server alone.
 *
 * @throws Error with the trace over which a process and the model differ, as it is: many at once shrink too slowly.
 */
export async function playChangesIn(redis: RedisInUse, processes: number, options: StoreOptions): Promise<void> {
  let calls = 0;
  const traces = fc.array(traceWithBlocks, { minLength: AT_ONCE, maxLength: AT_ONCE });
  const play = fc.asyncProperty(traces, async (some) => {
    const played = some.map((one) => {
      const prefix = freshPrefix();
      const stores = Array.from({ length: processes }, () => redis.storeByClock({ prefix, ...options }));
      return playChangesOver(one, stores).catch((error: unknown) => {
        throw new Error(`${String(error)}\nThe trace: ${fc.stringify(one)}`, { cause: error });
      });
    });
    for (const count of await Promise.all(played)) calls += count;
  });
  await fc.assert(play, { numRuns: TRACES / AT_ONCE, endOnFailure: true });
  expect(calls).toBeGreaterThan(20 * TRACES);
}
