import fc from "fast-check";
import { expect, it } from "vitest";
import {
  denseFixedWindowSpec,
  denseSlidingWindowSpec,
  largeSlidingWindowSpec,
  limitSpec,
  tokenBucketSpec,
} from "../../../properties/limit-arbitrary.ts";
import { playStepsOver, REACH_OF_TABLES_US } from "../../../properties/run-scenario.ts";
import type { Scenario } from "../../../properties/scenario.ts";
import { scenario } from "../../../properties/scenario-arbitrary.ts";
import { TODAY_US } from "../../../properties/times.ts";
import { createWorld } from "../../../properties/world.ts";
import { freshPrefix, useRedis } from "../kit/use-redis.ts";

const inUse = useRedis();
/** How many traces of each kind are played. `TOLLGATE_TRACES` plays more. */
const TRACES = Number(process.env["TOLLGATE_TRACES"] ?? 120);
/** Side by side they wait less for the server. */
const AT_ONCE = 40;

/** What scenarios of stores of this process have, while the clock goes forward: Redis forgets idle keys by itself. */
const KINDS: Readonly<Record<string, Parameters<typeof scenario>[0]>> = {
  "limiters alone and combined": { clock: "forward" },
  "one limiter of limits of all kinds": { clock: "forward", mostLimiters: 1 },
  "token buckets and debts": {
    limits: tokenBucketSpec,
    ...{ mostLimits: 2, mostLimiters: 1, clock: "forward", costs: "huge" },
    verbs: ["charge", "charge", "consume", "allow", "refund", "explain"],
  },
  "sliding windows whose ring is full": {
    limits: denseSlidingWindowSpec,
    ...{ mostLimits: 1, mostLimiters: 1, clock: "crowded forward", costs: "modest" },
    verbs: ["charge", "charge", "charge", "consume", "refund", "explain"],
  },
  "sliding windows of large limits": {
    // Their units of a few windows exceed the exact integers.
    limits: largeSlidingWindowSpec.filter(({ windowUs }) => windowUs > 10),
    ...{ mostLimits: 1, mostLimiters: 1, mostKeys: 1, mostSteps: 120, clock: "crowded forward", costs: "modest" },
    verbs: ["consume", "consume", "consume", "allow", "refund", "explain"],
  },
  "identical calls of a batch": {
    limits: fc.oneof(denseFixedWindowSpec, denseSlidingWindowSpec),
    ...{ mostLimiters: 1, mostKeys: 1, clock: "forward", costs: "modest" },
    verbs: ["allow", "allow", "allow", "allow", "refund", "explain"],
  },
  "limits chosen per call": { limits: limitSpec, clock: "forward" },
};

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
