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

/** Milliseconds of this process that never go back. For timeouts: decisions use the limiter's clock or the server's. */
export function monotonicMs(): number {
  return performance.now();
}

/** The moment since the epoch at which `monotonicMs` was this. */
export function toWallMs(ms: number): number {
  return performance.timeOrigin + ms;
}

/** If a step is later than planned by more than this, the process was busy. The server was not necessarily silent. */
const LATE_MS = 2;

/**
 * Counts the milliseconds in which this process listened to the server. Time in which the event loop was blocked does
 * not count: replies may have arrived meanwhile, and requests may not have left.
 */
export class ListeningTime {
  #countedMs = 0;
  #countedAtMs = monotonicMs();
  #mostMs = 0;

  get nowMs(): number {
    return this.#countedMs + Math.min(monotonicMs() - this.#countedAtMs, this.#mostMs);
  }

  /** Counts up to now. The next step is planned in so many milliseconds. */
  step(nextMs: number): void {
    this.#countedMs = this.nowMs;
    this.#countedAtMs = monotonicMs();
    this.#mostMs = nextMs + LATE_MS;
  }
}
