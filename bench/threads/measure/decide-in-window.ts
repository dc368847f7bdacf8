import type { Plan } from "../plan.ts";
import type { Barrier } from "./barrier.ts";
import { monotonicMs } from "./monotonic.ts";
import type { ThreadSample } from "./thread-sample.ts";

/** Decides so many calls, in a loop of its own around the call that is measured, and says how many were admitted. */
export type Decide = (calls: number) => number;

/** Between two looks at the clock: microseconds. */
const CALLS_PER_LOOK = 1_024;

interface Decided {
  readonly calls: number;
  readonly admitted: number;
}

/** Warms up together with the other threads, at least so many calls, and decides with them for as long as the window is open. */
export function decideInWindow(decide: Decide, barrier: Barrier, plan: Plan, leastCalls: number): ThreadSample {
  const warmUp = decideUntil(barrier.meet() + plan.warmUpMs, decide, leastCalls);
  const startMs = barrier.meet();
  const measured = decideUntil(startMs + plan.windowMs, decide, 0);
  return {
    startMs,
    endMs: monotonicMs(),
    calls: measured.calls,
    callsInAll: warmUp.calls + measured.calls,
    admittedInAll: warmUp.admitted + measured.admitted,
  };
}

function decideUntil(deadlineMs: number, decide: Decide, leastCalls: number): Decided {
  let calls = 0;
  let admitted = 0;
  while (monotonicMs() < deadlineMs || calls < leastCalls) {
    admitted += decide(CALLS_PER_LOOK);
    calls += CALLS_PER_LOOK;
  }
  return { calls, admitted };
}
