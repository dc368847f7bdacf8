import type { Waiter } from "../../redis/batch/waiter.ts";

/** A take of a caller that waits for the server's answer. */
export interface WaitingCall {
  readonly costs: readonly number[];
  /** The limiter's time. */
  readonly nowUs: number;
  readonly waiter: Waiter;
}

/** Removes the first calls that cost the same. */
export function takeRun(calls: WaitingCall[]): readonly WaitingCall[] {
  const other = calls.findIndex(({ costs }) => costs.some((cost, i) => cost !== calls[0]!.costs[i]));
  return calls.splice(0, other < 0 ? calls.length : other);
}
