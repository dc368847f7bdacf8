import { describe, expect, it } from "vitest";
import { TIMEOUT_MS } from "./check-interleavings.ts";
import { exploreAtRandom } from "./explore-at-random.ts";
import { NEW_BLOCKED_KEYS } from "./scenarios-blocked.ts";

/** So many find a thread that takes another thread's claim of a slot for a key without a block. */
const RUNS = 10_000;

describe("many random interleavings of two threads are linearizable", () => {
  it.each(NEW_BLOCKED_KEYS)("$name", { timeout: TIMEOUT_MS }, (scenario) => {
    expect(exploreAtRandom(scenario, RUNS, 1).runs).toBe(RUNS);
  });
});
