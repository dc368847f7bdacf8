import { type Clock, readUs } from "../../../core/clock.ts";

/** A moment by both clocks of a node, in microseconds. Both decide, because either may stand still. */
export interface NodeMoment {
  /** A clock that never goes back. It may stand still while the machine sleeps. Up to `LOOK_US` old. */
  readonly us: number;
  /** The time of day. It goes on while the machine sleeps, and an operator may set it back. */
  readonly wallUs: number;
}

/** Tells the moment. */
export type NodeTime = () => NodeMoment;

/** Clocks may differ by this part of the time that passes. */
export const DRIFT = 0.01;

/** The moment that `NodeTime` tells may be so old: a millisecond, and what clocks differ by. */
export const LOOK_US = 2_000;

/**
 * Two clocks, read at once. The steady one is read when the time of day, in whole milliseconds, has changed: reading
 * both for each call would be half of its time. So after the time of day was set back to the very millisecond of the
 * last call, up to a millisecond of calls go by the old time.
 */
export function timeOfClocks(steadyMs: () => number, wallMs: () => number): NodeTime {
  let seen: NodeMoment = { us: Number.NaN, wallUs: Number.NaN };
  return () => {
    const wallUs = wallMs() * 1_000;
    if (wallUs !== seen.wallUs) seen = { us: steadyMs() * 1_000, wallUs };
    return seen;
  };
}

/** The clocks of this process. */
export const PROCESS_TIME: NodeTime = timeOfClocks(
  () => performance.now(),
  () => Date.now(),
);

/** The clock of a limiter, where a test makes it decide in place of the server's. */
export function clockTime(clock: Clock): NodeTime {
  return () => {
    const us = readUs(clock);
    return { us, wallUs: us };
  };
}
