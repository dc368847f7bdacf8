import { describe, expect, it } from "vitest";
import { randomBelow } from "../../local/random-words.ts";
import { TIMEOUT_MS } from "./check-interleavings.ts";
import { exploreAll } from "./explore-all.ts";
import { exploreAtRandom } from "./explore-at-random.ts";
import type { Call } from "./model-call.ts";
import { RACE_KEYS } from "./race.ts";
import { RACES } from "./races.ts";
import type { Scenario } from "./scenario.ts";

const THREADS = 3;
const CALLS = 4;

/** Explores every interleaving of two threads that ask combined limiters. */
export function checkEveryRace(races: readonly Scenario[]): void {
  describe("combined limiters admit within their limits in every interleaving of two threads", () => {
    it.each(races)("$name", { timeout: TIMEOUT_MS }, (scenario) => {
      const { states, histories, cut } = exploreAll(scenario);
      expect(states).toBeGreaterThan(100);
      expect(histories).toBeGreaterThan(1);
      expect(cut).toBe(0);
    });
  });
}

/** Explores random interleavings of three threads: `rounds` random programs for each race, each run `runs` times. */
export function checkRandomRaces(rounds: number, runs: number): void {
  const seeded = RACES.map((scenario, seed) => ({ ...scenario, seed }));
  describe("combined limiters admit within their limits in random interleavings of three threads", () => {
    it.each(seeded)("$name", { timeout: TIMEOUT_MS }, (scenario) => {
      for (let round = 0; round < rounds; round += 1) {
        const seed = scenario.seed * rounds + round;
        expect(exploreAtRandom(varied(scenario, seed), runs, seed).runs).toBe(runs);
      }
    });
  });
}

/** Three threads with random calls, at advancing times or all at one. */
function varied(scenario: Scenario, seed: number): Scenario {
  const below = randomBelow(seed);
  const isAtOneMoment = below(3) === 0;
  const program = (): Call[] => {
    let nowMs = 0;
    return Array.from({ length: CALLS }, () => {
      if (!isAtOneMoment) nowMs += [0, 0, 5, 26, 50][below(5)]!;
      return { verb: "allow", key: RACE_KEYS[below(RACE_KEYS.length)]!, cost: 1 + below(2), nowMs };
    });
  };
  return {
    ...scenario,
    writeSlots: below(2) === 0 ? "same" : "own",
    deaths: isAtOneMoment || below(2) === 0 ? "none" : "one",
    programs: Array.from({ length: THREADS }, program),
  };
}
