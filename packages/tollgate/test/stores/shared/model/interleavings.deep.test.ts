import { describe, expect, it } from "vitest";
import { checkEveryInterleaving, checkRandomInterleavings, TIMEOUT_MS } from "./check-interleavings.ts";
import { exploreAll } from "./explore-all.ts";
import { COMMON, callsAt } from "./scenario.ts";
import { NOW_MS, SEVERAL_CELLS } from "./scenario-keys.ts";
import { SCENARIOS } from "./scenarios.ts";
import { KNOWN_KEYS } from "./scenarios-one-cell.ts";

// A part of what the deep tests explore.
checkEveryInterleaving(KNOWN_KEYS);
checkRandomInterleavings(SCENARIOS, 2_000);

describe("the exploration of interleavings", () => {
  it("also accepts a history when threads are switched at every step", { timeout: TIMEOUT_MS }, () => {
    const scenario = {
      ...COMMON,
      name: "a key of several cells",
      limits: SEVERAL_CELLS,
      before: callsAt(NOW_MS, ["allow", "ann"]),
      keys: ["ann"],
      programs: [
        callsAt(NOW_MS, ["allow", "ann"], ["peek", "ann"]),
        callsAt(NOW_MS, ["consume", "ann"], ["refund", "ann"]),
      ],
    };
    const { states } = exploreAll(scenario);
    expect(exploreAll(scenario, "at every step").states).toBeGreaterThan(states);
  });
});
