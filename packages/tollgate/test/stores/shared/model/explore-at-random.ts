import { randomBelow } from "../../local/random-words.ts";
import { Linearizer } from "./linearize.ts";
import { World } from "./model-world.ts";
import type { Turn } from "./narrate.ts";
import { BEGIN } from "./operation.ts";
import {
  beginning,
  check,
  type Explored,
  isTooLong,
  NO_THREAD,
  type RunState,
  stateAfter,
  threadsAtWork,
} from "./run-state.ts";
import type { Scenario } from "./scenario.ts";
import { ChangeOfConstant } from "./shared-words.ts";

/** The search drops its points when it has this many. */
const MOST_POINTS = 300_000;
/** A turn has at most 2 to the power of this many steps; in some runs fewer. */
const MOST_DOUBLINGS = 7;
/** In runs with a death, one in this many turns is a death. */
const TURNS_TO_DEATH = 10;

/** @throws Error with a run whose history is not linearizable. */
export function exploreAtRandom(scenario: Scenario, runs: number, seed: number): Explored {
  const world = new World(scenario);
  const judge = new Linearizer(scenario);
  const below = randomBelow(seed);
  let cut = 0;
  for (let run = 0; run < runs; run += 1) {
    if (!runAtRandom(world, judge, below)) cut += 1;
  }
  return { states: 0, runs: runs - cut, histories: judge.histories, cut };
}

/** Does one run to its end and restores the memory. False if the run was cut because a call took too many steps. */
export function runAtRandom(world: World, judge: Linearizer, below: (bound: number) => number): boolean {
  const { mark } = world.memory;
  for (;;) {
    try {
      const turns: Turn[] = [];
      const state = randomRun(world, below, turns);
      if (isTooLong(state, world)) return false;
      check(world, judge, state, turns);
      return true;
    } catch (error) {
      if (!(error instanceof ChangeOfConstant)) throw error;
      // The cached points took the word for constant.
      world.forget();
    } finally {
      world.memory.undo(mark);
    }
  }
}

function randomRun(world: World, below: (bound: number) => number, turns: Turn[]): RunState {
  if (world.points > MOST_POINTS) world.forget();
  const doublings = 1 + below(MOST_DOUBLINGS);
  const mayDie = world.scenario.deaths === "one" && below(2) === 0;
  let state = beginning(world);
  for (let threads = threadsAtWork(state); threads.length > 0; threads = threadsAtWork(state)) {
    const thread = threads[below(threads.length)]!;
    if (mayDie && state.dead === NO_THREAD && below(TURNS_TO_DEATH) === 0) {
      state = { ...state, dead: thread };
      continue;
    }
    let stepsLeft = below(2 ** below(doublings + 1));
    const from = state.points[thread]!;
    const to = world.advance(thread, from, (operation) => {
      stepsLeft -= 1;
      return stepsLeft >= 0 && operation !== BEGIN;
    });
    turns.push({ thread, from, to });
    state = stateAfter(state, thread, to);
    if (isTooLong(state, world)) return state;
  }
  return state;
}
