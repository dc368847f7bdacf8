import { type Clock, readUs } from "../../../core/clock.ts";

/** The clocks of a node, in microseconds. Both are asked at each decision, because either may stand still. */
export interface NodeTime {
  /** A clock that never goes back. It may stand still while the machine sleeps. */
  us(): number;
  /** The time of day, which goes on while the machine sleeps, and which an operator may set back. */
  wallUs(): number;
}

/** The clocks of this process. */
export const PROCESS_TIME: NodeTime = {
  us: () => performance.now() * 1_000,
  wallUs: () => Date.now() * 1_000,
};

/** The clocks of a process, for threads that hold leases together: they agree on the clock of their store. */
export function agreedTime(clock: Clock): NodeTime {
  return { us: () => clock.now() * 1_000, wallUs: PROCESS_TIME.wallUs };
}

/** The clock of a limiter, where it decides in place of the server's. */
export function clockTime(clock: Clock): NodeTime {
  const us = () => readUs(clock);
  return { us, wallUs: us };
}
