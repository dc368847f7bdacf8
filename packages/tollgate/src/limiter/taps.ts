import type { DecisionObservation } from "../core/observer.ts";
import { Sampler } from "./sampler.ts";

/** Sees some of a limiter's calls, chosen at random, for less than an observer costs. It must not throw. */
export interface Tap {
  /** 1 in so many calls is seen, on average: a positive integer. */
  readonly sample: number;
  /** A call was decided: its key as text, and whether it may go on. `charge` is no such call. */
  decided(key: string, allowed: boolean): void;
}

/** Sees every call of a limiter, for less than an observer costs where no decision is needed. It must not throw. */
export interface Meter {
  /** A call under the limiter's only limit, which enforces, was decided by the key's own cells. */
  noteQuick(key: string, allowed: boolean): void;
  /** Any other call, except `charge`, which corrects one. */
  note(observation: DecisionObservation): void;
}

/** A tap of a limiter, or of one of those that are combined: which keys of a call are its limiter's. */
export interface PlacedTap {
  readonly tap: Tap;
  readonly from: number;
  readonly until: number;
}

/** The taps of a limiter, of which there is one at least. They share a sampler, that of the tap that sees most. */
export class Taps {
  readonly sampler: Sampler;
  readonly #placed: readonly PlacedTap[];

  constructor(placed: readonly PlacedTap[]) {
    this.sampler = new Sampler(Math.min(...placed.map(({ tap }) => tap.sample)));
    this.#placed = placed;
  }

  /** The sampler has chosen a call. */
  see(keys: readonly string[], allowed: boolean): void {
    const { interval } = this.sampler;
    for (const { tap, from, until } of this.#placed) {
      if (tap.sample > interval && Math.random() * tap.sample >= interval) continue;
      tap.decided(until === from + 1 ? keys[from]! : JSON.stringify(keys.slice(from, until)), allowed);
    }
  }
}
