import { describe, expect, it } from "vitest";
import { exploreAll } from "./explore-all.ts";
import { COMMON, callsAt } from "./scenario.ts";
import { SCENARIOS, SEVERAL_CELLS } from "./scenarios.ts";

/** Far more than it takes. */
const TIMEOUT_MS = 300_000;

describe("every interleaving of two threads could be calls one after another", () => {
  it.each(SCENARIOS)("$name", { timeout: TIMEOUT_MS }, (scenario) => {
    const { states, histories, cut } = exploreAll(scenario);
    // Threads did come in each other's way.
    expect(states).toBeGreaterThan(100);
    expect(histories).toBeGreaterThan(1);
    if (scenario.mostSteps === Number.POSITIVE_INFINITY) expect(cut).toBe(0);
  });

  it("also when threads are switched at every step", { timeout: TIMEOUT_MS }, () => {
    const scenario = {
      ...COMMON,
      name: "a key of several cells",
      limits: SEVERAL_CELLS,
      before: callsAt(1000, ["allow", "ann"]),
      keys: ["ann"],
      programs: [
        callsAt(1000, ["allow", "ann"], ["peek", "ann"]),
        callsAt(1000, ["consume", "ann"], ["refund", "ann"]),
      ],
    };
    const { states } = exploreAll(scenario);
    expect(exploreAll(scenario, "at every step").states).toBeGreaterThan(states);
  });
});
