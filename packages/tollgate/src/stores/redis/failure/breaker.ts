import { monotonicMs } from "../event-loop.ts";

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

/**
 * Saves callers the wait for a server that does not reply, and probes the server until it replies again. Probes are
 * calls of the store: no caller's call is one, and calls stay degraded while a probe is in flight.
 */
export class Breaker {
  readonly #onChange: (state: BreakerState) => void;
  readonly #probe: () => Promise<unknown>;
  #state: BreakerState = "closed";
  #failures = 0;
  #failingSinceMs = 0;
  #failedAtMs = 0;
  #probedAtMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  /** `probe` rejects while the server is unavailable. */
  constructor(onChange: (state: BreakerState) => void, probe: () => Promise<unknown>) {
    this.#onChange = onChange;
    this.#probe = probe;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Whether calls may reach the server. Starts a probe that is due, for runtimes without timers between requests. */
  get isClosed(): boolean {
    if (this.#state === "closed") return true;
    if (monotonicMs() - this.#probedAtMs >= PROBE_AFTER_MS) this.#startProbe();
    return false;
  }

  /** Notes a reply of the server. */
  succeeded(): void {
    this.#failures = 0;
  }

  /** Notes the failure of a call that was sent at this time of `monotonicMs`. */
  failed(sentAtMs: number): void {
    const nowMs = monotonicMs();
    if (this.#failures > 0 && nowMs - this.#failedAtMs > FORGET_AFTER_MS) this.#failures = 0;
    if (this.#failures === 0) this.#failingSinceMs = nowMs;
    else if (sentAtMs < this.#failedAtMs) return;
    this.#failures += 1;
    this.#failedAtMs = nowMs;
    const failingMs = nowMs - this.#failingSinceMs;
    if (this.#state !== "closed" || this.#failures < FAILURES_TO_OPEN || failingMs < FAILING_TO_OPEN_MS) return;
    this.#probedAtMs = nowMs;
    this.#enter("open");
    this.#plan();
  }

  /** Stops the probes. */
  close(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #plan(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => this.#startProbe(), PROBE_AFTER_MS);
    // Timers are numbers outside Node, Bun and Deno.
    if (typeof this.#timer === "object") this.#timer.unref();
  }

  #startProbe(): void {
    if (this.#state !== "open" || this.#isStopped) return;
    this.#probedAtMs = monotonicMs();
    this.#enter("half-open");
    void this.#runProbe();
  }

  async #runProbe(): Promise<void> {
    try {
      await this.#probe();
      clearTimeout(this.#timer);
      this.#failures = 0;
      this.#enter("closed");
    } catch {
      this.#enter("open");
      this.#plan();
    }
  }

  #enter(state: BreakerState): void {
    this.#state = state;
    this.#onChange(state);
  }
}
