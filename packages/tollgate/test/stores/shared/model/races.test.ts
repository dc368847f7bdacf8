import { afterEach, describe, expect, it, vi } from "vitest";
import { TokenBucketKernel } from "../../../../src/algorithms/token-bucket.ts";
import { randomBelow } from "../../local/random-words.ts";
import type { Call } from "./call.ts";
import { exploreAll } from "./explore-all.ts";
import { exploreAtRandom } from "./explore-at-random.ts";
import { RACE_KEYS } from "./race.ts";
import { RACES } from "./races.ts";
import type { Scenario } from "./scenario.ts";

/** Far more than it takes. */
const TIMEOUT_MS = 300_000;
const RANDOM_RUNS = 60;
const RANDOM_ROUNDS = 15;
const THREADS = 3;
const CALLS = 4;

afterEach(() => {
  vi.restoreAllMocks();
});

describe("combined limiters admit within their limits in every interleaving of two threads", () => {
  it.each(RACES)("$name", { timeout: TIMEOUT_MS }, (scenario) => {
    const { states, histories, cut } = exploreAll(scenario);
    expect(states).toBeGreaterThan(100);
    expect(histories).toBeGreaterThan(1);
    expect(cut).toBe(0);
  });
});

describe("and in random ones of three threads", () => {
  it.each(RACES.map((scenario, seed) => ({ ...scenario, seed })))("$name", { timeout: TIMEOUT_MS }, (scenario) => {
    for (let round = 0; round < RANDOM_ROUNDS; round += 1) {
      const seed = scenario.seed * RANDOM_ROUNDS + round;
      expect(exploreAtRandom(varied(scenario, seed), RANDOM_RUNS, seed).runs).toBe(RANDOM_RUNS);
    }
  });
});

it.each(RACES.slice(0, 3))("giving back the whole cost is found out: $name", { timeout: TIMEOUT_MS }, (scenario) => {
  vi.spyOn(TokenBucketKernel.prototype, "revoke").mockImplementation(function (
    this: TokenBucketKernel,
    cells,
    at,
    _taken,
    now,
    cost,
  ) {
    this.refund(cells, at, now, cost);
  });
  expect(() => exploreAll(scenario)).toThrow("expected admissions within every limit");
});

it("giving nothing back is found out", { timeout: TIMEOUT_MS }, () => {
  vi.spyOn(TokenBucketKernel.prototype, "revoke").mockImplementation(() => {});
  expect(() => exploreAll(RACES[3]!)).toThrow("and nothing lost");
});

/** Calls of three threads at times that go on, or all at one. */
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
