import type { Clock } from "../core/clock.ts";
import { notify, type Observation, type Observer } from "../core/observer.ts";
import type { LimiterContext } from "../core/store.ts";
import type { CheckedOptions } from "./options.ts";

/** One observer that notifies all of them and never throws; `undefined` without observers. */
export function notifyAll(observers: readonly Observer[]): Observer | undefined {
  if (observers.length === 0) return undefined;
  return (observation) => {
    for (const observe of observers) notify(observe, observation);
  };
}

/** A limiter as its store knows it. `close` ends its notifications. */
export class OpenContext implements LimiterContext {
  readonly clock: Clock;
  readonly onSweep: LimiterContext["onSweep"];
  readonly onMove: LimiterContext["onMove"];
  readonly choosesLimits?: true;
  #closed = false;

  constructor({ name, limits, clock, observe }: CheckedOptions<never>) {
    this.clock = clock;
    if (typeof limits === "function") this.choosesLimits = true;
    this.onSweep =
      observe && ((removed, remaining) => this.#notify(observe, { type: "sweep", limiter: name, removed, remaining }));
    this.onMove =
      observe && ((key, from, to) => this.#notify(observe, { type: "change", limiter: name, key, from, to }));
  }

  close(): void {
    this.#closed = true;
  }

  #notify(observe: Observer, observation: Observation): void {
    if (!this.#closed) notify(observe, observation);
  }
}
