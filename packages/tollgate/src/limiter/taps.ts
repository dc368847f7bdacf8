import type { Decision } from "../core/decision.ts";
import type { LookedOutcome } from "../core/store-readings.ts";
import type { HeldPlaces } from "./held-places.ts";
import { Sampler } from "./sampler.ts";

/** Sees some of a limiter's calls, chosen at random, for less than an observer costs. It must not throw. */
export interface Tap {
  /** 1 in so many calls is seen, on average: a positive integer. */
  readonly sample: number;
  /** A call was decided: its key as text, and whether it may go on. A `charge` that corrects one is no such call. */
  decided(key: string, allowed: boolean): void;
}

/** A call is near its limit if it has left less than one part of so many. */
export const PARTS_OF_LIMIT = 5;

/** Sees every call of a limiter, for less than an observer costs where no decision is needed. It must not throw. */
export interface Meter {
  /** 1 in so many calls over a store in this process is timed, on average: a positive integer. */
  readonly sample: number;
  /**
   * A call under the limiter's only limit, which enforces, was decided by the store alone. Of a call that was admitted,
   * `outcome` says whether it is near the limit.
   */
  noteQuick(key: string, outcome: LookedOutcome): void;
  /** Any other call, except a `charge` that corrects one. `keys` is a text if the call has one key. */
  note(keys: string | readonly string[], decision: Decision): void;
  /** A call that was chosen took so many milliseconds, with two readings of the clock. */
  timed(elapsedMs: number): void;
  /** A call has waited so long for its turn, by the limiter's clock. */
  waited(us: number): void;
  /** A reservation has taken places. */
  held(places: HeldPlaces): void;
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
    for (const placed of this.#placed) {
      const { tap } = placed;
      if (isThinnedOut(tap, interval)) continue;
      const key = keyOf(placed, keys);
      if (!this.#sawBefore(placed, key, keys)) tap.decided(key, allowed);
    }
  }

  /** Whether a tap of several limiters has seen the key in this call: it counts once, whichever of them count it. */
  #sawBefore(placed: PlacedTap, key: string, keys: readonly string[]): boolean {
    const { tap, from } = placed;
    return from > 0 && this.#placed.some((one) => one.tap === tap && one.from < from && keyOf(one, keys) === key);
  }
}

function keyOf({ from, until }: PlacedTap, keys: readonly string[]): string {
  return until === from + 1 ? keys[from]! : JSON.stringify(keys.slice(from, until));
}

/** Whether what sees fewer calls than the sampler chooses does not see this one. */
export function isThinnedOut({ sample }: { readonly sample: number }, interval: number): boolean {
  return sample > interval && Math.random() * sample >= interval;
}
