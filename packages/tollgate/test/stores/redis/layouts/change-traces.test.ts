import fc from "fast-check";
import { describe, it } from "vitest";
import { traceWithBlocks } from "../../../properties/change-arbitrary.ts";
import { playStepsOver } from "../../../properties/run-scenario.ts";
import type { Changes } from "../../../properties/scenario.ts";
import { createVersions } from "../../../properties/world.ts";
import { freshPrefix, type StoreOptions, useRedis } from "../kit/use-redis.ts";

const inUse = useRedis();
/** `TOLLGATE_TRACES` plays more. */
const TRACES = Number(process.env["TOLLGATE_TRACES"] ?? 125);
/** Side by side they wait less for the server. */
const AT_ONCE = 25;
const START_US = 1_790_000_000_123_000;

/** Plays random traces over processes that know each other's limits from the server alone. */
async function playIn(processes: number, options: StoreOptions): Promise<void> {
  const play = ({ versions, steps }: Changes) => {
    const prefix = freshPrefix();
    const stores = Array.from({ length: processes }, () => inUse.redis.storeByClock({ prefix, ...options }));
    return playStepsOver(
      createVersions(START_US, versions, (version) => [stores[version % stores.length]!]),
      steps,
    );
  };
  const traces = fc.sample(traceWithBlocks, TRACES);
  while (traces.length > 0) await Promise.all(traces.splice(0, AT_ONCE).map(play));
}

describe("random calls through versions of a limiter over Redis", () => {
  it("decide as the model does, in one process", async () => {
    await playIn(1, {});
  });

  // A process that remembers a denial would ask later than the model.
  it("decide as the model does, in processes of their own", async () => {
    await playIn(4, { denyCache: false });
  });
});
