import type { History, Linearizer, ThreadHistory } from "./linearize.ts";
import type { World } from "./model-world.ts";
import { describeRun, type Turn } from "./narrate.ts";
import type { Point } from "./point.ts";

/** The extent of an exploration. */
export interface Explored {
  /** Different states of threads and memory. Random explorations do not count them. */
  readonly states: number;
  /** Runs that ended. */
  readonly runs: number;
  /** Different histories: outcomes, order of calls, and final states of keys. */
  readonly histories: number;
  /** Runs or states that were cut because a call took too many steps. */
  readonly cut: number;
}

export const NO_THREAD = -1;

/** A run of all threads so far. */
export interface RunState {
  readonly points: readonly Point[];
  /** For each call of each thread: how many calls of each thread had returned when it began. */
  readonly returnedBefore: readonly (readonly string[])[];
  /** The same in one string. */
  readonly order: string;
  /** The thread that died, or `NO_THREAD`. */
  readonly dead: number;
}

/** The state before all calls. */
export function beginning(world: World): RunState {
  const points = world.roots();
  return { points, returnedBefore: points.map(() => []), order: "", dead: NO_THREAD };
}

/** The state after a thread has moved to another point. A turn contains the beginning of at most one call. */
export function stateAfter(state: RunState, thread: number, to: Point): RunState {
  const points = state.points.with(thread, to.same ?? to);
  const { returnedBefore: before, order, dead } = state;
  if (state.points[thread]!.isInCall) return { points, returnedBefore: before, order, dead };
  const returned = state.points.map(({ outcomes }) => outcomes.length).join("");
  const returnedBefore = before.with(thread, [...before[thread]!, returned]);
  return { points, returnedBefore, order: returnedBefore.join(";"), dead };
}

/** The threads that have a next step. */
export function threadsAtWork({ points, dead }: RunState): number[] {
  const threads: number[] = [];
  for (const [thread, { operation }] of points.entries()) {
    if (operation !== undefined && thread !== dead) threads.push(thread);
  }
  return threads;
}

/** Whether a call has taken more steps than the scenario allows. */
export function isTooLong({ points }: RunState, { scenario }: World): boolean {
  return points.some(({ steps }) => steps > scenario.mostSteps);
}

/** @throws Error if the history of a finished run is not allowed. */
export function check(world: World, judge: Linearizer, state: RunState, turns: readonly Turn[]): void {
  const threads = state.points.map(
    ({ outcomes }, thread): ThreadHistory => ({ outcomes, returnedBefore: state.returnedBefore[thread]! }),
  );
  const history: History = { threads, finalState: world.finalState() };
  if (!judge.accepts(history)) throw new Error(describeRun(world.scenario, judge.expected, history, turns));
}
