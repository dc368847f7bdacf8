import { describe, expect, it } from "vitest";
import { TIMEOUT_MS } from "./check-interleavings.ts";
import { exploreAtRandom } from "./explore-at-random.ts";
import { LARGE_LEASES, LEASES } from "./scenarios-leases.ts";

const RUNS = 60_000;

describe("many random interleavings spend, return or leave each unit of a lease once", () => {
  it.each([...LARGE_LEASES, ...LEASES])("$name", { timeout: TIMEOUT_MS }, (scenario) => {
    // A third thread does what the first one does.
    const programs = [...scenario.programs, scenario.programs[0]!];
    expect(exploreAtRandom({ ...scenario, programs }, RUNS / LEASES.length, 2).histories).toBeGreaterThan(10);
  });
});
