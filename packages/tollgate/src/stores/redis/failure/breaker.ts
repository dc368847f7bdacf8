import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleType } from "cockatiel";
import { Outage } from "./outage.ts";

/** `"closed"`: the server is asked. `"open"`: it is not. `"half-open"`: one call tries whether it is back. */
export type BreakerState = "closed" | "open" | "half-open";

/** So many calls in a row that failed. */
const FAILURES_TO_OPEN = 5;
/** So often the server is tried again. */
const PROBE_AFTER_MS = 250;

const NAMES: Readonly<Record<CircuitState, BreakerState>> = {
  [CircuitState.Closed]: "closed",
  [CircuitState.Open]: "open",
  [CircuitState.HalfOpen]: "half-open",
  [CircuitState.Isolated]: "open",
};

/** Spares callers the wait for a server that does not answer, and finds out when it does again. */
export class Breaker {
  readonly #policy = circuitBreaker(handleType(Outage), {
    halfOpenAfter: PROBE_AFTER_MS,
    breaker: new ConsecutiveBreaker(FAILURES_TO_OPEN),
  });

  constructor(changed: (state: BreakerState) => void) {
    this.#policy.onStateChange((state) => changed(NAMES[state]));
  }

  get state(): BreakerState {
    return NAMES[this.#policy.state];
  }

  /** @throws Outage when the circuit is open, and whatever the work throws: outages are what counts. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    // Others would wait for the call that tries, and then for their own.
    if (this.#policy.state === CircuitState.HalfOpen) throw new Outage("circuit open");
    try {
      return await this.#policy.execute(work);
    } catch (error) {
      throw error instanceof BrokenCircuitError ? new Outage("circuit open") : error;
    }
  }
}
