import { monotonicMs } from "./monotonic-time.ts";

/** A step that comes later than planned by more than this says that the process was busy, not that the server was silent. */
const LATE_MS = 2;

/**
 * Counts the milliseconds in which this process listened to the server. Time in which the event loop was busy with something else does
 * not count: answers may have come meanwhile, and requests may not have left.
 */
export class ListeningTime {
  #countedMs = 0;
  #countedAtMs = monotonicMs();
  #mostMs = 0;

  get nowMs(): number {
    return this.#countedMs + Math.min(monotonicMs() - this.#countedAtMs, this.#mostMs);
  }

  /** Counts up to now; the next step is planned in so many milliseconds. */
  step(nextMs: number): void {
    this.#countedMs = this.nowMs;
    this.#countedAtMs = monotonicMs();
    this.#mostMs = nextMs + LATE_MS;
  }
}
