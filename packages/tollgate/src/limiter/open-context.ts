import type { Clock } from "../core/clock.ts";
import type { Observation } from "../core/observer.ts";
import type { LimiterContext, OnFailure } from "../core/store.ts";
import type { Observers } from "./observers.ts";
import type { CheckedOptions } from "./options.ts";

/** A limiter as its store knows it. `close` ends its notifications. */
export class OpenContext implements LimiterContext {
  readonly clock: Clock;
  readonly choosesLimits?: true;
  readonly onFailure?: OnFailure;
  readonly #name: string;
  readonly #observers: Observers;
  #closed = false;

  constructor({ name, limits, clock, onFailure }: CheckedOptions<never>, observers: Observers) {
    this.clock = clock;
    if (typeof limits === "function") this.choosesLimits = true;
    if (onFailure !== undefined) this.onFailure = onFailure;
    this.#name = name;
    this.#observers = observers;
  }

  get onSweep(): LimiterContext["onSweep"] {
    if (!this.#observers.has("sweep")) return undefined;
    return (removed, remaining) => this.#notify({ type: "sweep", limiter: this.#name, removed, remaining });
  }

  get onMove(): LimiterContext["onMove"] {
    if (!this.#observers.has("change")) return undefined;
    return (key, from, to) => this.#notify({ type: "change", limiter: this.#name, key, from, to });
  }

  get isObserved(): boolean {
    return this.#observers.has("degradation");
  }

  close(): void {
    this.#closed = true;
  }

  #notify(observation: Observation): void {
    if (!this.#closed) this.#observers.notify(observation);
  }
}
