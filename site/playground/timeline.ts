import { createLimiter, type Limiter } from "tollgate";
import { ALGORITHMS, type Algorithm, limitOf, type State } from "./state.ts";

/** What one algorithm did with the arrivals. */
export interface Lane {
  readonly algorithm: Algorithm;
  /** The most units that it may have left. */
  readonly capacity: number;
  /** Whether each arrival was admitted. */
  readonly admitted: readonly boolean[];
  readonly admittedCount: number;
  /** The units left from a moment on, in order. */
  readonly levels: readonly (readonly [atMs: number, remaining: number])[];
  /** The units left at a moment that is not before the last arrival. */
  remainingAt(nowMs: number): number;
  /** The first moment from `nowMs` on at which a call passes, to the microsecond. */
  nextPassMs(nowMs: number): number;
}

const KEY = "client";

/** The time that the charts show: three windows, and one window after the last arrival. */
export function spanMs({ windowSeconds, arrivals }: Pick<State, "windowSeconds" | "arrivals">): number {
  const windowMs = windowSeconds * 1_000;
  const last = arrivals.at(-1) ?? 0;
  return Math.max(3 * windowMs, (Math.floor(last / windowMs) + 2) * windowMs);
}

/** Asks the library about the same arrivals by each algorithm. */
export function timelines(state: State): Lane[] {
  return ALGORITHMS.map((algorithm) => laneOf(algorithm, state));
}

function laneOf(algorithm: Algorithm, state: State): Lane {
  let nowMs = 0;
  const limit = limitOf(algorithm, state);
  const limiter: Limiter = createLimiter({ limits: [limit], clock: { now: () => nowMs } });
  const remaining = () => limiter.peek(KEY, 0).remaining ?? 0;
  const admitted: boolean[] = [];
  const levels: [number, number][] = [[0, remaining()]];
  const look = () => {
    const left = remaining();
    if (left !== levels.at(-1)?.[1]) levels.push([nowMs, left]);
  };
  // A call that takes one unit more than is left passes at the moment at which that unit comes.
  const riseUntil = (untilMs: number) => {
    for (let left = remaining(); left < limit.capacity; left = remaining()) {
      const atMs = nowMs + limiter.peek(KEY, left + 1).retryAfterMs;
      if (atMs >= untilMs) break;
      nowMs = atMs;
      look();
    }
    nowMs = untilMs;
    look();
  };
  for (const atMs of state.arrivals) {
    riseUntil(atMs);
    admitted.push(limiter.consume(KEY).allowed);
    look();
  }
  riseUntil(spanMs(state));
  return {
    algorithm,
    capacity: limit.capacity,
    admitted,
    admittedCount: admitted.filter((was) => was).length,
    levels,
    remainingAt: (atMs) => {
      nowMs = atMs;
      return remaining();
    },
    nextPassMs: (fromMs) => {
      nowMs = fromMs;
      const { allowed, retryAfterMs } = limiter.peek(KEY);
      return allowed ? fromMs : fromMs + retryAfterMs;
    },
  };
}
