import fc from "fast-check";
import { expect, it } from "vitest";
import { playStepsOver, REACH_OF_TABLES_US } from "../../../properties/run-scenario.ts";
import type { Scenario } from "../../../properties/scenario.ts";
import { scenario } from "../../../properties/scenario-arbitrary.ts";
import { KINDS } from "../../../properties/server-scenarios.ts";
import { TODAY_US } from "../../../properties/times.ts";
import { createWorld } from "../../../properties/world.ts";
import { freshPrefix, useRedis } from "../kit/use-redis.ts";

const inUse = useRedis();
/** How many traces of each kind are played. `TOLLGATE_TRACES` plays more. */
const TRACES = Number(process.env["TOLLGATE_TRACES"] ?? 120);
/** Side by side they wait less for the server. */
const AT_ONCE = 40;

it.each(Object.entries(KINDS))("%s over Redis decide as the model does", async (kind, options) => {
  const prefix = freshPrefix();
  const chosenPerCall = kind === "limits chosen per call";
  // Moments of one epoch: cells of others are other keys.
  const play = async ({ limiters, steps }: Scenario, i: number) => {
    const store = inUse.redis.storeByClock({ prefix: `${prefix}-${i}` });
    await playStepsOver(
      createWorld(TODAY_US, limiters, "memory", { stores: [store], chosenPerCall }),
      steps,
      REACH_OF_TABLES_US,
    );
  };
  const traces = fc.sample(scenario(options), { numRuns: TRACES, seed: 1 });
  for (let from = 0; from < TRACES; from += AT_ONCE) {
    await Promise.all(traces.slice(from, from + AT_ONCE).map((trace, i) => play(trace, from + i)));
  }
  const names = (await inUse.redis.command("KEYS", `${prefix}-*`)) as readonly string[];
  const leases = await Promise.all(names.map((name) => inUse.redis.command("PTTL", name)));
  expect(leases).not.toContain(-1);
});
