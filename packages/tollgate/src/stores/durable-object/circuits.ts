import { preciseMs } from "../../core/clock.ts";
import type { StoreObservation } from "../../core/store-observation.ts";

/** An object is not asked for a while after so many failures in a row. */
const FAILURES_TO_OPEN = 3;
/** Then one call is sent to find out whether it answers again. */
const PROBE_AFTER_MS = 250;
/** The most objects whose failures are remembered. */
const MOST_OBJECTS = 1_024;

interface Failing {
  failures: number;
  readonly sinceMs: number;
  probeAtMs: number;
}

/**
 * Saves callers the wait for objects that do not answer. The platform has no timers between requests, and ends the work
 * of a request with it: so a caller's call is the probe, and one without an outcome blocks nothing.
 */
export class Circuits {
  readonly #failing = new Map<string, Failing>();
  readonly #notify: (observation: StoreObservation) => void;

  constructor(notify: (observation: StoreObservation) => void) {
    this.#notify = notify;
  }

  get isSomeOpen(): boolean {
    return [...this.#failing.values()].some(({ failures }) => failures >= FAILURES_TO_OPEN);
  }

  /** Whether calls to an object would fail at once. */
  refuses(name: string): boolean {
    const failing = this.#failing.get(name);
    return failing !== undefined && failing.failures >= FAILURES_TO_OPEN && preciseMs() < failing.probeAtMs;
  }

  /** Whether a message may be sent. To an object that fails, only one is sent within a time. */
  admits(name: string): boolean {
    if (this.refuses(name)) return false;
    const failing = this.#failing.get(name);
    if (failing !== undefined) failing.probeAtMs = preciseMs() + PROBE_AFTER_MS;
    return true;
  }

  succeeded(name: string): void {
    const failing = this.#failing.get(name);
    if (failing === undefined) return;
    this.#failing.delete(name);
    if (failing.failures < FAILURES_TO_OPEN) return;
    this.#notify({ type: "up", downForMs: preciseMs() - failing.sinceMs });
  }

  failed(name: string, cause: string): void {
    const nowMs = preciseMs();
    const failing = this.#failing.get(name) ?? { failures: 0, sinceMs: nowMs, probeAtMs: 0 };
    failing.failures += 1;
    failing.probeAtMs = nowMs + PROBE_AFTER_MS;
    // The object that has been failing for longest is the first.
    if (this.#failing.size === MOST_OBJECTS && failing.failures === 1)
      this.#failing.delete([...this.#failing.keys()][0]!);
    this.#failing.set(name, failing);
    if (failing.failures === FAILURES_TO_OPEN) this.#notify({ type: "down", cause });
  }
}
