import type { Clock } from "../core/clock.ts";
import type { Observation } from "../core/observer.ts";
import type { LimiterContext, OnFailure } from "../core/store.ts";
import type { CheckedOptions } from "./options.ts";
import type { Watch } from "./watching/watch.ts";

/** A limiter as its store knows it. `close` ends its notifications. */
export class OpenContext implements LimiterContext {
  readonly clock: Clock;
  readonly choosesLimits?: true;
  readonly onFailure?: OnFailure;
  readonly #name: string;
  readonly #watch: Watch;
  #closed = false;

  constructor({ name, limits, clock, onFailure }: CheckedOptions<never>, watch: Watch) {
    this.clock = clock;
    if (typeof limits === "function") this.choosesLimits = true;
    if (onFailure !== undefined) this.onFailure = onFailure;
    this.#name = name;
    this.#watch = watch;
  }

  get onMove(): LimiterContext["onMove"] {
    if (!this.#watch.has("change")) return undefined;
    return (key, from, to) => this.#notify({ type: "change", limiter: this.#name, key, from, to });
  }

  get isObserved(): boolean {
    return this.#watch.has("degradation");
  }

  close(): void {
    this.#closed = true;
  }

  #notify(observation: Observation): void {
    if (!this.#closed) this.#watch.notify(observation);
  }
}
