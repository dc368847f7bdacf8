import { it } from "vitest";
import { runs } from "../../../properties/runs.ts";
import { freshPrefix, useRedis } from "../kit/use-redis.ts";
import { KeptTrace } from "./kept-trace.ts";

const inUse = useRedis();
const TRACES = runs(12);
const TURNS = 120;

it("kept reservations use what they count for, whichever processes correct them, at once or in turn", async () => {
  for (let seed = 0; seed < TRACES; seed += 1) {
    const prefix = freshPrefix();
    await new KeptTrace(() => inUse.redis.storeByClock({ prefix }), seed).play(TURNS);
  }
});
