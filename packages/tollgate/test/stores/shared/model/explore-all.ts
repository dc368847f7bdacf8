// A model checker for the shared store.
//
// All threads run in one. The store gets views and atomic operations that intercept each access of memory (views.ts).
// To suspend a thread, an access throws. To resume it, its program runs again from the beginning and gets the values
// that it found the first time (replay.ts). The next step of a thread depends only on what it has found, so a tree of
// points (point.ts) caches each thread's steps. An interleaving is then a walk over one such tree for each thread, and
// over memory that can be restored.
//
// `exploreAll` tries every interleaving, and with `deaths` every step at which one thread may die. A state consists of
// the threads' points, the changed words, and which calls returned before which began. From each state each thread does
// its next step. Steps that cannot interfere with other threads are done together with the step before, because their
// order makes no difference. shared-words.ts finds them; "at every step" does without. A thread that is alone, and does
// not die, makes its whole call. `exploreAtRandom` tries random interleavings. Every history has to be linearizable
// (linearize.ts).

import { randomBelow } from "../../local/random-words.ts";
import { runAtRandom } from "./explore-at-random.ts";
import { Linearizer } from "./linearize.ts";
import { World } from "./model-world.ts";
import type { Turn } from "./narrate.ts";
import { BEGIN, type Operation } from "./operation.ts";
import type { Point } from "./point.ts";
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
import { StateSet } from "./state-set.ts";

/** These random runs find most of the words that threads share, before the search relies on them. */
const FIRST_RUNS = 300;

type Switches = "where threads interfere" | "at every step";

/** @throws Error with a run whose history is not linearizable. */
export function exploreAll(scenario: Scenario, switches: Switches = "where threads interfere"): Explored {
  const world = new World(scenario);
  const judge = new Linearizer(scenario);
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
  readonly #judge: Linearizer;
  readonly #isIndependent: (operation: Operation, thread: number) => boolean;
  readonly #visited = new StateSet();
  /** The numbers of the orders in which calls returned and began, and of the outcomes of dead threads. */
  readonly #numbers = new Map<string, number>();
  readonly #turns: Turn[] = [];
  #runs = 0;
  #cut = 0;

  constructor(world: World, judge: Linearizer, switches: Switches) {
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
    const { points, dead } = state;
    if (!this.#addVisited(state)) return;
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
    const mayDie = dead === NO_THREAD && this.#world.scenario.deaths === "one";
    const isAlone = threads.length === 1 && !mayDie;
    for (const thread of threads) this.#step(state, thread, points[thread]!, isAlone);
    if (!mayDie) return;
    for (const thread of threads) this.visit({ ...state, dead: thread });
  }

  #addVisited({ points, order, dead }: RunState): boolean {
    const visited = this.#visited;
    const [hash, otherHash] = this.#world.memory.hash;
    // Where a dead thread has died makes no difference, only what its calls have returned.
    for (const [thread, { id, outcomes }] of points.entries())
      visited.mix(thread === dead ? this.#numberOf(outcomes.join()) : id);
    visited.mix(this.#numberOf(order));
    visited.mix(dead);
    visited.mix(hash);
    visited.mix(otherHash);
    return visited.add();
  }

  #numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  #step(state: RunState, thread: number, point: Point, isAlone: boolean): void {
    const { memory } = this.#world;
    const { mark } = memory;
    const to = this.#world.advance(thread, point, (operation) =>
      isAlone ? operation !== BEGIN : this.#isIndependent(operation, thread),
    );
    this.#turns.push({ thread, from: point, to });
    this.visit(stateAfter(state, thread, to));
    this.#turns.pop();
    memory.undo(mark);
  }
}
