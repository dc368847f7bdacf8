import { type Clock, readUs } from "../core/clock.ts";
import type { Report } from "../core/report.ts";
import type { TakenFrom } from "../core/store.ts";
import type { Verb } from "../core/verbs.ts";
import type { PlaceKeeper, Renewal } from "./held-places.ts";

/** Applies a verb with these costs under the keys and limits of a choice. */
export type AskChosen = <T>(
  verb: Verb,
  costs: readonly number[],
  read: (report: Report) => T,
  takenFrom: TakenFrom,
) => T | Promise<T>;

/** Keeps and frees the places of a choice of keys and limits. */
export class ChosenPlaces implements PlaceKeeper {
  readonly #clock: Clock;
  readonly #ask: AskChosen;

  constructor(clock: Clock, ask: AskChosen) {
    this.#clock = clock;
    this.#ask = ask;
  }

  freePlaces(counts: readonly number[], takenFrom: TakenFrom): void | Promise<void> {
    return this.#ask<void>("refund", counts, () => {}, takenFrom);
  }

  renewPlaces(momentsUs: readonly number[], takenFrom: TakenFrom): Renewal | undefined | Promise<Renewal | undefined> {
    // Not later than the moment at which the store renews.
    const us = readUs(this.#clock);
    return this.#ask(
      "renew",
      momentsUs,
      ({ admitted, conforms, degraded, decidedUs = us }): Renewal | undefined => {
        if (degraded !== undefined && takenFrom.degraded === undefined) return undefined;
        // A failure policy tells nothing of single limits.
        return { held: momentsUs.map((_, i) => conforms[i] ?? admitted), renewedUs: decidedUs };
      },
      takenFrom,
    );
  }
}
