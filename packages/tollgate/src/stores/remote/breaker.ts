import { preciseMs } from "../../core/clock.ts";
import { TIMERS_END_WITH_REQUESTS } from "../../core/timer.ts";

/**
 * `"closed"`: calls reach the server. `"open"`: they do not. `"half-open"`: they do not, and the store probes the
 * server.
 */
export type BreakerState = "closed" | "open" | "half-open";

/** The circuit opens after the server has failed for so long without a reply in between. */
const FAILING_TO_OPEN_MS = 400;
/** And after so many consecutive failures. Calls that were in flight together count as one failure. */
const FAILURES_TO_OPEN = 3;
/** Failures farther apart than this are independent. */
const FORGET_AFTER_MS = 30_000;
/** The time between probes. */
const PROBE_AFTER_MS = 250;

/** What a breaker does and reports. None of it throws. */
export interface BreakerEvents {
  /** Asks the server. Rejects while it is unavailable. */
  readonly probe: () => Promise<unknown>;
  /** The circuit opened after a failure of this cause. */
  readonly down: (cause: string) => void;
  /** The circuit closed, this long after the first failure. */
  readonly up: (downForMs: number) => void;
  readonly probeFailed: (error: unknown) => void;
}

/**
 * Saves callers the wait for a server that does not reply, and probes the server until it replies again. Probes are
 * calls of the store: no caller's call is one, and calls stay degraded while a probe is in flight.
 */
export class Breaker {
  readonly #events: BreakerEvents;
  #state: BreakerState = "closed";
  #failures = 0;
  #failingSinceMs = 0;
  #failedAtMs = 0;
  #probedAtMs = 0;
  /** The first failure of the outage. */
  #downSinceMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;
  /** Whether calls are sent to find out whether the server is back. */
  #isTrying = false;

  constructor(events: BreakerEvents) {
    this.#events = events;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /**
   * Whether calls may reach the server. Starts a probe that is due. Where the work of a request ends with it, the calls
   * of callers are the probe: they are sent, and the next failure opens the circuit again.
   */
  get isClosed(): boolean {
    if (this.#state === "closed") return true;
    if (preciseMs() - this.#probedAtMs < PROBE_AFTER_MS) return false;
    if (!TIMERS_END_WITH_REQUESTS) {
      this.#startProbe();
      return false;
    }
    this.#state = "closed";
    this.#isTrying = true;
    this.#failures = FAILURES_TO_OPEN - 1;
    return true;
  }

  /** Notes a reply of the server. */
  succeeded(): void {
    this.#failures = 0;
    if (!this.#isTrying) return;
    this.#isTrying = false;
    this.#events.up(preciseMs() - this.#downSinceMs);
  }

  /** Notes the failure of a call that was sent at this time of `preciseMs`. */
  failed(sentAtMs: number, cause: string): void {
    const nowMs = preciseMs();
    if (this.#failures > 0 && nowMs - this.#failedAtMs > FORGET_AFTER_MS) this.#failures = 0;
    if (this.#failures === 0) this.#failingSinceMs = nowMs;
    else if (sentAtMs < this.#failedAtMs) return;
    this.#failures += 1;
    this.#failedAtMs = nowMs;
    const failingMs = nowMs - this.#failingSinceMs;
    if (this.#state !== "closed" || this.#failures < FAILURES_TO_OPEN || failingMs < FAILING_TO_OPEN_MS) return;
    this.#probedAtMs = nowMs;
    this.#state = "open";
    this.#plan();
    if (this.#isTrying) return;
    this.#downSinceMs = this.#failingSinceMs;
    this.#events.down(cause);
  }

  /** Stops the probes. */
  close(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #plan(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped || TIMERS_END_WITH_REQUESTS) return;
    this.#timer = setTimeout(() => this.#startProbe(), PROBE_AFTER_MS);
    // Timers are numbers outside Node, Bun and Deno.
    if (typeof this.#timer === "object") this.#timer.unref();
  }

  #startProbe(): void {
    if (this.#state !== "open" || this.#isStopped) return;
    this.#probedAtMs = preciseMs();
    this.#state = "half-open";
    void this.#runProbe();
  }

  async #runProbe(): Promise<void> {
    const failure = await this.#events.probe().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    this.#state = failure === undefined ? "closed" : "open";
    // After `close` no observer is notified.
    if (this.#isStopped) return;
    if (failure !== undefined) {
      this.#plan();
      this.#events.probeFailed(failure.error);
      return;
    }
    clearTimeout(this.#timer);
    this.#failures = 0;
    this.#events.up(preciseMs() - this.#downSinceMs);
  }
}
