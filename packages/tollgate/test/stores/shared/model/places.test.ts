import { describe, expect, it } from "vitest";
import { checkEveryInterleaving, TIMEOUT_MS } from "./check-interleavings.ts";
import { exploreAtRandom } from "./explore-at-random.ts";
import { LARGE_PLACES, PLACES_TOGETHER } from "./scenarios-places.ts";

const RUNS = 2_000;

checkEveryInterleaving(PLACES_TOGETHER);

describe("random interleavings have each place in use once, and never more than the server counts", () => {
  it.each(LARGE_PLACES)("$name", { timeout: TIMEOUT_MS }, (scenario) => {
    expect(exploreAtRandom(scenario, RUNS, 1).histories).toBeGreaterThan(10);
  });
});
