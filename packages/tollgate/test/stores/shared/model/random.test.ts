import { describe, expect, it } from "vitest";
import { randomBelow } from "../../local/random-words.ts";
import type { Call } from "./call.ts";
import { exploreAtRandom } from "./explore-at-random.ts";
import type { Scenario } from "./scenario.ts";
import { SCENARIOS } from "./scenarios.ts";

const ALL_RUNS = 100_000;
const THREADS = 3;
const CALLS = 4;
/** Programs that are drawn for each scenario. */
const ROUNDS = 5;
/** To look at every slot takes a hundred times as long as other calls, and to fight for the last one ten times as long. */
const SLOW_RUNS_PER_ROUND = 40;
const SLOW = SCENARIOS.filter((scenario) => looksAtAllSlots(scenario) || isCut(scenario));
const RUNS_PER_ROUND = Math.ceil(
  (ALL_RUNS / ROUNDS - SLOW.length * SLOW_RUNS_PER_ROUND) / (SCENARIOS.length - SLOW.length),
);
/** Those who take the last slot from each other more often than chance would have it find no room in the end. */
const MOST_STEPS = 400;
/** Far more than it takes. */
const TIMEOUT_MS = 300_000;

describe("random interleavings of three threads could be calls one after another", () => {
  it.each(SCENARIOS.map((scenario, seed) => ({ ...scenario, seed })))("$name", { timeout: TIMEOUT_MS }, (scenario) => {
    const runsPerRound = looksAtAllSlots(scenario) || isCut(scenario) ? SLOW_RUNS_PER_ROUND : RUNS_PER_ROUND;
    let runs = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const seed = scenario.seed * ROUNDS + round;
      // A run that was cut is made up for by others.
      for (let more = 0; runs < (round + 1) * runsPerRound; more += 1) {
        runs += exploreAtRandom(varied(scenario, seed + more), runsPerRound, seed + more).runs;
      }
    }
    expect(runs).toBeGreaterThanOrEqual(ROUNDS * runsPerRound);
  });
});

function isCut({ mostSteps }: Scenario): boolean {
  return Number.isFinite(mostSteps);
}

function looksAtAllSlots({ programs }: Scenario): boolean {
  return programs.flat().some(({ verb }) => verb === "sweep" || verb === "clear");
}

/** The same calls, as chance deals them to more threads, which may remember and begin otherwise. */
function varied(scenario: Scenario, seed: number): Scenario {
  const below = randomBelow(seed);
  // A call that comes while all keys are cleared may be forgotten, as is documented: two threads cannot show it, three can.
  const calls = scenario.programs.flat().filter(({ verb }) => verb !== "clear");
  const draw = (): Call => calls[below(calls.length)]!;
  const program = () => Array.from({ length: CALLS }, draw);
  return {
    ...scenario,
    limiters: below(2) === 0 ? "kept" : "new",
    writeSlots: below(2) === 0 ? "same" : "own",
    deaths: "one",
    mostSteps: MOST_STEPS,
    programs: Array.from({ length: THREADS }, program),
  };
}
