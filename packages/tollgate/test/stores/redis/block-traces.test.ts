import fc from "fast-check";
import { it } from "vitest";
import { blockingSteps, LISTS_THAT_BLOCK } from "../../properties/block-arbitrary.ts";
import { playStepsOver } from "../../properties/run-scenario.ts";
import { createBlockers } from "../../properties/world.ts";
import { useRedis } from "./kit/use-redis.ts";

const TRACES = 6;
const OPERATIONS = 500;
const START_US = 1_790_000_000_123_000;
const inUse = useRedis();

it("random traces with blocks over Redis equal the model", async () => {
  const traces = fc.sample(blockingSteps(OPERATIONS), TRACES);
  // A store each: their clocks differ by more than the day that keys live longer.
  const play = (steps: (typeof traces)[number]) =>
    playStepsOver(createBlockers(START_US, LISTS_THAT_BLOCK, inUse.redis.storeByClock()), steps);
  await Promise.all(traces.map(play));
});
