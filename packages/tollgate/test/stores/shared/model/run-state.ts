import type { Judge } from "./history-judge.ts";
import type { History, ThreadHistory } from "./linearize.ts";
import type { World } from "./model-world.ts";
import { describeRun, type Turn } from "./narrate.ts";
import type { Point } from "./point.ts";

/** How much has been explored. */
export interface Explored {
  /** Of threads and memory together: only where none is visited twice are they counted. */
  readonly states: number;
  /** Runs to the end. */
  readonly runs: number;
  /** How many of them differ in what came of the calls, which returned before which began, or how the keys stand. */
  readonly histories: number;
  /** Runs, or states, that were not followed because a call took too many steps. */
  readonly cut: number;
}

export const NOBODY = -1;

/** A run of all threads so far. */
export interface RunState {
  readonly points: readonly Point[];
  /** For each thread's calls that have begun: how many calls of each thread had returned by then. */
  readonly returnedBefore: readonly (readonly string[])[];
  /** The thread that died. */
  readonly dead: number;
}

/** Before all calls. */
export function beginning(world: World): RunState {
  const points = world.roots();
  return { points, returnedBefore: points.map(() => []), dead: NOBODY };
}

/** When a thread has come to another point. A turn that begins with the beginning of a call contains no other's. */
export function stateAfter(state: RunState, thread: number, to: Point): RunState {
  const points = state.points.with(thread, to.same ?? to);
  if (state.points[thread]!.isInCall) return { ...state, points };
  const returned = state.points.map(({ outcomes }) => outcomes.length).join("");
  const began = [...state.returnedBefore[thread]!, returned];
  return { ...state, points, returnedBefore: state.returnedBefore.with(thread, began) };
}

/** Which threads have something to do. */
export function threadsAtWork({ points, dead }: RunState): number[] {
  const threads: number[] = [];
  for (const [thread, { operation }] of points.entries()) {
    if (operation !== undefined && thread !== dead) threads.push(thread);
  }
  return threads;
}

/** Whether a call has taken more steps than are explored. */
export function isTooLong({ points }: RunState, { scenario }: World): boolean {
  return points.some(({ steps }) => steps > scenario.mostSteps);
}

/** @throws Error when the history of a run that is over may not be. */
export function check(world: World, judge: Judge, state: RunState, turns: readonly Turn[]): void {
  const threads = state.points.map(
    ({ outcomes }, thread): ThreadHistory => ({ outcomes, returnedBefore: state.returnedBefore[thread]! }),
  );
  const history: History = { threads, finalState: world.finalState() };
  if (!judge.accepts(history)) throw new Error(describeRun(world.scenario, judge.expected, history, turns));
}
