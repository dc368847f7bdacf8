import { TIMERS_END_WITH_REQUESTS } from "../../core/timer.ts";

type Schedule = (work: () => void) => unknown;

const afterMicrotasks: Schedule = (work) => queueMicrotask(() => queueMicrotask(work));

/**
 * Runs work after all events of this turn of the event loop: requests that a server reads from several sockets at once
 * are one turn. Without `setImmediate`, only the current microtasks come before it, and where the work of one request
 * is lost with another.
 */
export const afterThisTurn: Schedule = TIMERS_END_WITH_REQUESTS
  ? afterMicrotasks
  : ((globalThis as { readonly setImmediate?: Schedule }).setImmediate ?? afterMicrotasks);

/** The moment since the epoch at which `preciseMs` was this. */
export function toWallMs(ms: number): number {
  return performance.timeOrigin + ms;
}
