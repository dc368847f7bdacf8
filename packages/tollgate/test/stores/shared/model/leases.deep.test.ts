import { describe, expect, it } from "vitest";
import { TIMEOUT_MS } from "./check-interleavings.ts";
import { exploreAtRandom } from "./explore-at-random.ts";
import type { Scenario } from "./scenario.ts";
import { LARGE_LEASES, LEASES } from "./scenarios-leases.ts";
import { LARGE_PLACES, PLACES_TOGETHER } from "./scenarios-places.ts";

const RUNS = 60_000;

/** A third thread does what the first one does. */
function histories(scenario: Scenario): number {
  const programs = [...scenario.programs, scenario.programs[0]!];
  return exploreAtRandom({ ...scenario, programs }, RUNS / LEASES.length, 2).histories;
}

describe("many random interleavings spend, return or leave each unit of a lease once", () => {
  it.each([...LARGE_LEASES, ...LEASES])("$name", { timeout: TIMEOUT_MS }, (scenario) => {
    expect(histories(scenario)).toBeGreaterThan(10);
  });
});

describe("many random interleavings have each place in use once, and never more than the server counts", () => {
  it.each([...LARGE_PLACES, ...PLACES_TOGETHER])("$name", { timeout: TIMEOUT_MS }, (scenario) => {
    expect(histories(scenario)).toBeGreaterThan(10);
  });
});
