import { expect, it } from "vitest";
import { ALL_RANDOM_RUNS, checkRandomInterleavings, TIMEOUT_MS } from "./check-interleavings.ts";
import { exploreAtRandom } from "./explore-at-random.ts";
import { CHANGES, TO_ONE_PLAN } from "./scenarios-changes.ts";

const RUNS = 20_000;

// A move takes many more steps than another call.
checkRandomInterleavings(CHANGES, ALL_RANDOM_RUNS / 10);

it(`random interleavings of two threads: ${TO_ONE_PLAN.name}`, { timeout: TIMEOUT_MS }, () => {
  expect(exploreAtRandom(TO_ONE_PLAN, RUNS, 1).runs).toBe(RUNS);
});
