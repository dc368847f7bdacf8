// A model checker for the shared store.
//
// Several threads run in one. The store that is shipped gets views and atomic operations that ask before each access of memory (views.ts);
// a thread is suspended by throwing out of it, and goes on by running its program again from the beginning, fed with what it found the
// first time (replay.ts). What a thread does next follows from what it has found, so that a tree of points (point.ts) soon knows that
// without running anything, and an interleaving is a walk over one such tree per thread and over memory that can be put back.
//
// `exploreAll` tries every interleaving, and with `deaths` every step at which one thread dies: from each state it lets each thread do its
// next step, where a state is the threads' points, the words that have changed, and which calls returned before which began. Steps that
// nobody else's can interfere with are done with the one before: the order makes no difference then (shared-words.ts says how that is
// known; `"every step"` does without). `exploreAtRandom` tries some. Every history has to be linearizable (linearize.ts).

import { randomBelow } from "../../local/random-words.ts";
import { runAtRandom } from "./explore-at-random.ts";
import { type Judge, judgeOf } from "./history-judge.ts";
import { World } from "./model-world.ts";
import type { Turn } from "./narrate.ts";
import type { Operation } from "./operation.ts";
import type { Point } from "./point.ts";
import {
  beginning,
  check,
  type Explored,
  isTooLong,
  NOBODY,
  type RunState,
  stateAfter,
  threadsAtWork,
} from "./run-state.ts";
import type { Scenario } from "./scenario.ts";
import { ChangeOfConstant } from "./shared-words.ts";

/** So many runs find out most of what threads share, before anything relies on it. */
const FIRST_RUNS = 300;

type Switches = "where threads interfere" | "at every step";

/** @throws Error with a run whose history is not linearizable, or in a race over a limit. */
export function exploreAll(scenario: Scenario, switches: Switches = "where threads interfere"): Explored {
  const world = new World(scenario);
  const judge = judgeOf(scenario);
  const below = randomBelow(1);
  for (let run = 0; run < FIRST_RUNS; run += 1) runAtRandom(world, judge, below);
  const { mark } = world.memory;
  for (;;) {
    const { version } = world.sharedWords;
    world.forget();
    const search = new Search(world, judge, switches);
    try {
      search.visit(beginning(world));
      if (world.sharedWords.version === version) return search.explored;
    } catch (error) {
      if (!(error instanceof ChangeOfConstant)) throw error;
      world.memory.undo(mark);
    }
  }
}

/** One search through all states. */
class Search {
  readonly #world: World;
  readonly #judge: Judge;
  readonly #isIndependent: (operation: Operation, thread: number) => boolean;
  readonly #visited = new Set<string>();
  readonly #turns: Turn[] = [];
  #runs = 0;
  #cut = 0;

  constructor(world: World, judge: Judge, switches: Switches) {
    this.#world = world;
    this.#judge = judge;
    this.#isIndependent =
      switches === "at every step"
        ? () => false
        : (operation, thread) => !world.sharedWords.interferes(operation, thread);
  }

  get explored(): Explored {
    return { states: this.#visited.size, runs: this.#runs, histories: this.#judge.histories, cut: this.#cut };
  }

  visit(state: RunState): void {
    const { points, returnedBefore, dead } = state;
    const ids = points.map(({ id }) => id);
    const name = `${ids.join()};${returnedBefore.join(";")};${dead};${this.#world.memory.hash}`;
    if (this.#visited.has(name)) return;
    this.#visited.add(name);
    if (isTooLong(state, this.#world)) {
      this.#cut += 1;
      return;
    }
    const threads = threadsAtWork(state);
    if (threads.length === 0) {
      this.#runs += 1;
      check(this.#world, this.#judge, state, this.#turns);
      return;
    }
    for (const thread of threads) this.#step(state, thread, points[thread]!);
    if (dead !== NOBODY || this.#world.scenario.deaths === "none") return;
    for (const thread of threads) this.visit({ ...state, dead: thread });
  }

  #step(state: RunState, thread: number, point: Point): void {
    const { memory } = this.#world;
    const { mark } = memory;
    const to = this.#world.advance(thread, point, (operation) => this.#isIndependent(operation, thread));
    this.#turns.push({ thread, from: point, to });
    this.visit(stateAfter(state, thread, to));
    this.#turns.pop();
    memory.undo(mark);
  }
}
