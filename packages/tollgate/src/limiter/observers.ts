import type { Clock } from "../core/clock.ts";
import type { Observation, Observer } from "../core/observer.ts";
import type { LimiterContext } from "../core/store.ts";
import type { CheckedOptions } from "./options.ts";

/** One observer that notifies all of them; `undefined` without observers. */
export function notifyAll(observers: readonly Observer[]): Observer | undefined {
  if (observers.length <= 1) return observers[0];
  return (observation) => {
    for (const observe of observers) observe(observation);
  };
}

/** A limiter as its store knows it. `close` ends its notifications. */
export class OpenContext implements LimiterContext {
  readonly clock: Clock;
  readonly onSweep: LimiterContext["onSweep"];
  readonly choosesLimits?: true;
  #closed = false;

  constructor({ name, limits, clock, observe }: CheckedOptions<never>) {
    this.clock = clock;
    if (typeof limits === "function") this.choosesLimits = true;
    this.onSweep =
      observe && ((removed, remaining) => this.#notify(observe, { type: "sweep", limiter: name, removed, remaining }));
  }

  close(): void {
    this.#closed = true;
  }

  #notify(observe: Observer, observation: Observation): void {
    if (this.#closed) return;
    try {
      observe(observation);
    } catch {
      // An error about a sweep is dropped, because the call that swept may be another limiter's.
    }
  }
}
