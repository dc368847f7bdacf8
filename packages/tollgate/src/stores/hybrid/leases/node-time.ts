import { type Clock, readUs } from "../../../core/clock.ts";

/** The clocks of a node, in microseconds. Both are asked at each decision, because either may stand still. */
export interface NodeTime {
  /** A clock that never goes back. It may stand still while the machine sleeps. Up to `LOOK_US` old. */
  us(): number;
  /** The time of day at the last call of `us`. It goes on while the machine sleeps, and an operator may set it back. */
  wallUs(): number;
}

/** A moment by both clocks of a node. */
export interface NodeMoment {
  readonly us: number;
  readonly wallUs: number;
}

/** Clocks may differ by this part of the time that passes. */
export const DRIFT = 0.01;

/** What `NodeTime` tells may be so old: a millisecond, and what clocks differ by. */
export const LOOK_US = 2_000;

/**
 * Two clocks, read at once. The steady one is read when the time of day, in whole milliseconds, has changed: reading
 * both for each call would be half of its time. So after the time of day was set back to the very millisecond of the
 * last call, up to a millisecond of calls go by the old time.
 */
export function timeOfClocks(steadyMs: () => number, wallMs: () => number): NodeTime {
  let seenMs = Number.NaN;
  let seenUs = 0;
  return {
    us: () => {
      const ms = wallMs();
      if (ms !== seenMs) {
        seenMs = ms;
        seenUs = steadyMs() * 1_000;
      }
      return seenUs;
    },
    wallUs: () => seenMs * 1_000,
  };
}

/** The clocks of this process. */
export const PROCESS_TIME: NodeTime = timeOfClocks(
  () => performance.now(),
  () => Date.now(),
);

/** The clock of a limiter, where a test makes it decide in place of the server's. */
export function clockTime(clock: Clock): NodeTime {
  const us = () => readUs(clock);
  return { us, wallUs: us };
}
