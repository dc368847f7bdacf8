import { describe, expect, it } from "vitest";
import { checkEveryInterleaving, TIMEOUT_MS } from "./check-interleavings.ts";
import { exploreAtRandom } from "./explore-at-random.ts";
import { BLOCKED_KEYS, NEW_BLOCKED_KEYS } from "./scenarios-blocked.ts";

const RUNS = 2_000;

checkEveryInterleaving(BLOCKED_KEYS);

describe("random interleavings of two threads are linearizable", () => {
  it.each(NEW_BLOCKED_KEYS)("$name", { timeout: TIMEOUT_MS }, (scenario) => {
    expect(exploreAtRandom(scenario, RUNS, 1).runs).toBe(RUNS);
  });
});
