import { describe, expect, it } from "vitest";
import { checkEveryInterleaving, TIMEOUT_MS } from "./check-interleavings.ts";
import { exploreAtRandom } from "./explore-at-random.ts";
import { LARGE_LEASES, LEASES } from "./scenarios-leases.ts";

const RUNS = 3_000;

checkEveryInterleaving(LEASES);
// A thread that forgets what it has seen of leases between two calls.
checkEveryInterleaving(LEASES.map((scenario) => ({ ...scenario, limiters: "new", name: `${scenario.name}, anew` })));

describe("random interleavings spend, return or leave each unit once", () => {
  it.each(LARGE_LEASES)("$name", { timeout: TIMEOUT_MS }, (scenario) => {
    expect(exploreAtRandom(scenario, RUNS, 1).histories).toBeGreaterThan(10);
  });
});
