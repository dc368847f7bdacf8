import fc from "fast-check";
import { describe, it } from "vitest";
import { blockingSteps, LISTS_THAT_BLOCK } from "../properties/block-arbitrary.ts";
import { playStepsOver } from "../properties/run-scenario.ts";
import { runs } from "../properties/runs.ts";
import { createBlockers } from "../properties/world.ts";
import { EVERY_STORE } from "./every-store.ts";

const START_US = 1_790_000_000_123_000;
const OPERATIONS = 1_000;

describe.each(EVERY_STORE)("random traces with blocks over %s", (_name, createStore) => {
  it("equal the model", async () => {
    if (createStore().blocks === undefined) return;
    const property = fc.asyncProperty(blockingSteps(OPERATIONS), (steps) =>
      playStepsOver(createBlockers(START_US, LISTS_THAT_BLOCK, createStore()), steps),
    );
    await fc.assert(property, { numRuns: runs(2), endOnFailure: true });
  });
});
