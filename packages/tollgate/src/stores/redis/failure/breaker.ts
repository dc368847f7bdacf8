import { monotonicMs } from "./monotonic-time.ts";

/** `"closed"`: the server is asked. `"open"`: it is not. `"half-open"`: one call of the store's own tries whether it is back. */
export type BreakerState = "closed" | "open" | "half-open";

/** The circuit opens when the server has failed for so long, and nothing else has come from it. */
const FAILING_TO_OPEN_MS = 400;
/** Calls that were under way at the same time fail together: that is one failure. So many in a row are needed. */
const FAILURES_TO_OPEN = 3;
/** Failures farther apart than this have nothing to do with each other. */
const FORGET_AFTER_MS = 30_000;
/** So often the server is tried again. */
const PROBE_AFTER_MS = 250;

type Timer = ReturnType<typeof setTimeout>;

/**
 * Spares callers the wait for a server that does not answer, and finds out when it does again. No caller's call is the probe: while
 * one is under way the circuit stays as it is for all of them.
 */
export class Breaker {
  readonly #changed: (state: BreakerState) => void;
  readonly #probe: () => Promise<unknown>;
  #state: BreakerState = "closed";
  #failures = 0;
  #failingSinceMs = 0;
  #failedAtMs = 0;
  #probedAtMs = 0;
  #timer: Timer | undefined;
  #isEnded = false;

  /** `probe` rejects while the server cannot be asked. */
  constructor(changed: (state: BreakerState) => void, probe: () => Promise<unknown>) {
    this.#changed = changed;
    this.#probe = probe;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Whether the server may be asked. A circuit that is due for a probe starts one, for where no timer runs. */
  get isClosed(): boolean {
    if (this.#state === "closed") return true;
    if (monotonicMs() - this.#probedAtMs >= PROBE_AFTER_MS) this.#try();
    return false;
  }

  /** The server has answered. */
  succeeded(): void {
    this.#failures = 0;
  }

  /** A call failed that was sent at this moment of `monotonicMs`. */
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

  /** Probes no more. */
  close(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
  }

  #plan(): void {
    clearTimeout(this.#timer);
    if (this.#isEnded) return;
    this.#timer = setTimeout(() => this.#try(), PROBE_AFTER_MS);
    // Timers are numbers outside Node, Bun and Deno.
    if (typeof this.#timer === "object") this.#timer.unref();
  }

  #try(): void {
    if (this.#state !== "open" || this.#isEnded) return;
    this.#probedAtMs = monotonicMs();
    this.#enter("half-open");
    void this.#tryNow();
  }

  async #tryNow(): Promise<void> {
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
    this.#changed(state);
  }
}
