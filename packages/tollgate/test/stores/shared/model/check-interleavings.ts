import { describe, expect, it } from "vitest";
import { randomBelow } from "../../local/random-words.ts";
import { exploreAll } from "./explore-all.ts";
import { exploreAtRandom } from "./explore-at-random.ts";
import type { Call } from "./model-call.ts";
import type { Scenario } from "./scenario.ts";
import { SCENARIOS } from "./scenarios.ts";

/** The random runs of the deep tests, over all scenarios. */
export const ALL_RANDOM_RUNS = 10_000;
/** Far more than a scenario takes. */
export const TIMEOUT_MS = 300_000;

const THREADS = 3;
const CALLS = 4;
/** How many random programs each scenario gets. */
const ROUNDS = 5;
/**
 * A scan of all slots takes a hundred times as long as another call, and a race for the last slot ten times as long.
 */
const SLOW_RUNS_SHARE = 1 / 500;
/** Threads that take the last slot from each other more often than is likely give up in the end. */
const MOST_STEPS = 400;
const SLOW: readonly Scenario[] = SCENARIOS.filter((scenario) => scansAllSlots(scenario) || isBounded(scenario));

/** Explores every interleaving of two threads. */
export function checkEveryInterleaving(scenarios: readonly Scenario[]): void {
  describe("every interleaving of two threads is linearizable", () => {
    it.each(scenarios)("$name", { timeout: TIMEOUT_MS }, (scenario) => {
      const { states, histories, cut } = exploreAll(scenario);
      // The threads did interfere with each other.
      expect(states).toBeGreaterThan(100);
      expect(histories).toBeGreaterThan(1);
      if (!isBounded(scenario)) expect(cut).toBe(0);
    });
  });
}

/** Explores random interleavings of three threads: each scenario's part of `allRuns` runs over all scenarios. */
export function checkRandomInterleavings(scenarios: readonly Scenario[], allRuns: number): void {
  const slowRunsPerRound = Math.max(1, Math.round((allRuns / ROUNDS) * SLOW_RUNS_SHARE));
  const fastRuns = allRuns / ROUNDS - SLOW.length * slowRunsPerRound;
  const fastRunsPerRound = Math.ceil(fastRuns / (SCENARIOS.length - SLOW.length));
  const seeded = scenarios.map((scenario) => ({ ...scenario, seed: SCENARIOS.indexOf(scenario) }));
  describe(`random interleavings of three threads are linearizable, ${allRuns} in all`, () => {
    it.each(seeded)("$name", { timeout: TIMEOUT_MS }, (scenario) => {
      const runsPerRound = SLOW.includes(SCENARIOS[scenario.seed]!) ? slowRunsPerRound : fastRunsPerRound;
      let runs = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const seed = scenario.seed * ROUNDS + round;
        // Other runs replace those that were cut.
        for (let more = 0; runs < (round + 1) * runsPerRound; more += 1) {
          runs += exploreAtRandom(varied(scenario, seed + more), runsPerRound, seed + more).runs;
        }
      }
      expect(runs).toBeGreaterThanOrEqual(ROUNDS * runsPerRound);
    });
  });
}

function isBounded({ mostSteps }: Scenario): boolean {
  return Number.isFinite(mostSteps);
}

function scansAllSlots({ programs }: Scenario): boolean {
  return programs.flat().some(({ verb }) => verb === "sweep" || verb === "clear");
}

/**
 * Deals the scenario's calls at random to more threads, which may start at the same write slot and keep their limiters.
 */
function varied(scenario: Scenario, seed: number): Scenario {
  const below = randomBelow(seed);
  // `clear` may forget a call that runs at the same time. Two threads cannot show that, three can.
  const calls = scenario.programs.flat().filter(({ verb }) => verb !== "clear");
  const draw = (): Call => calls[below(calls.length)]!;
  const program = () => Array.from({ length: CALLS }, draw);
  return {
    ...scenario,
    // A new limiter would not know its reservations.
    limiters: below(2) === 0 || calls.some(({ verb }) => verb === "reserve") ? "kept" : "new",
    writeSlots: below(2) === 0 ? "same" : "own",
    deaths: "one",
    mostSteps: MOST_STEPS,
    programs: Array.from({ length: THREADS }, program),
  };
}
