import { type History, Linearizer } from "./linearize.ts";
import { RaceJudge } from "./race-judge.ts";
import type { Scenario } from "./scenario.ts";

/** Decides which histories are allowed. */
export interface Judge {
  /** Describes an allowed history. */
  readonly expected: string;
  /** How many different histories there have been. */
  readonly histories: number;
  accepts(history: History): boolean;
}

export function judgeOf(scenario: Scenario): Judge {
  return scenario.race === undefined ? new Linearizer(scenario) : new RaceJudge(scenario, scenario.race);
}
