import { type History, Linearizer } from "./linearize.ts";
import { RaceJudge } from "./race-judge.ts";
import type { Scenario } from "./scenario.ts";

/** Says which histories may be. */
export interface Judge {
  /** What a history is expected to be. */
  readonly expected: string;
  /** How many histories there have been. */
  readonly histories: number;
  accepts(history: History): boolean;
}

export function judgeOf(scenario: Scenario): Judge {
  return scenario.race === undefined ? new Linearizer(scenario) : new RaceJudge(scenario, scenario.race);
}
